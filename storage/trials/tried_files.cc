#include "storage/trials/tried_files.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace tidemill::storage {

namespace {

constexpr int64_t kBlock = int64_t{1} << 16;

std::unique_ptr<UnpackedCache> WithoutFolder(FileSystem& source) {
  return *UnpackedCache::Create({.folder = {}}, source);  // It touches nothing.
}

std::shared_ptr<const AllowedRoots> Everything() {
  return std::make_shared<const AllowedRoots>(AllowedRootsOptions{.roots = {"/"}});
}

// The beginning of what a packed file holds.
class UnpackedStart final : public RemoteFile {
 public:
  UnpackedStart(std::string bytes, FileIdentity identity)
      : bytes_(std::move(bytes)), identity_(identity) {
    identity_.size_bytes = std::ssize(bytes_);
  }

  FileIdentity Identity() const override { return identity_; }
  absl::StatusOr<size_t> ReadAt(int64_t offset, char* bytes, size_t size) const override {
    const size_t begin = std::min(static_cast<size_t>(offset), bytes_.size());
    const size_t count = std::min(size, bytes_.size() - begin);
    std::memcpy(bytes, bytes_.data() + begin, count);
    return count;
  }
  absl::Status Prepare(std::span<const ByteRange> /*ranges*/) const override {
    return absl::OkStatus();
  }

 private:
  const std::string bytes_;
  FileIdentity identity_;
};

absl::StatusOr<std::string> ReadStart(const OpenFile& file) {
  std::string bytes;
  std::vector<char> block(kBlock);
  while (std::ssize(bytes) < UnpackedCache::kMaxOfStart) {
    ASSIGN_OR_RETURN(const size_t count,
                     file.ReadAt(std::ssize(bytes), block.data(), block.size()));
    if (count == 0) break;
    bytes.append(block.data(), count);
  }
  return bytes;
}

}  // namespace

TriedFiles::TriedFiles()
    : folders_({"/"}, std::make_shared<StateFolders>(std::vector<std::string>()), "cannot be read"),
      local_(Everything()),
      starts_(WithoutFolder(local_)),
      unpacked_(WithoutFolder(*this)) {}

absl::StatusOr<OpenFile> TriedFiles::Open(const std::string& path) {
  ASSIGN_OR_RETURN(OpenFile file, starts_->OpenStart(path));
  if (!file.is_remote()) return file;
  ASSIGN_OR_RETURN(const FileIdentity identity, file.Identity());
  ASSIGN_OR_RETURN(std::string bytes, ReadStart(file));
  return OpenFile(path, std::make_unique<UnpackedStart>(std::move(bytes), identity));
}

absl::StatusOr<FileIdentity> TriedFiles::IdentityOf(const std::string& path) {
  return local_.IdentityOf(path);
}

absl::StatusOr<std::string> TriedFiles::ResolveFolder(const std::string& path) {
  return local_.ResolveFolder(path);
}

absl::Status TriedFiles::Probe(const std::string& folder) { return local_.Probe(folder); }

absl::StatusOr<FileListing> TriedFiles::List(const std::string& root, std::string_view glob) {
  ASSIGN_OR_RETURN(ListedFolder listed, ListFiles(folders_, root, glob, kMaxEntries));
  return FileListing{.files = std::move(listed.files),
                     .identity_of = [this](const std::string& path) { return IdentityOf(path); },
                     .passed_over = std::move(listed.passed_over)};
}

absl::StatusOr<bool> TriedFiles::IsCut(const std::string& path) {
  ASSIGN_OR_RETURN(const OpenFile file, Open(path));
  if (!file.is_remote()) return false;
  ASSIGN_OR_RETURN(const FileIdentity identity, file.Identity());
  return identity.size_bytes >= UnpackedCache::kMaxOfStart;
}

}  // namespace tidemill::storage
