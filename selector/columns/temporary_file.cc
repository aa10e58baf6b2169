#include "selector/columns/temporary_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/disk_full.h"
#include "base/files.h"
#include "base/whole_io.h"

namespace tidemill::selector {
namespace {

absl::Status Failed(std::string_view doing, const std::string& path) {
  const int error = errno;
  if (IsNoRoom(error)) {
    return DiskFull(fmt::format("cannot {} {}: {}", doing, path, std::strerror(error)));
  }
  if (error == EFBIG) {
    return ResourceExhausted("cannot {} {}: {}", doing, path, std::strerror(error));
  }
  return Internal("cannot {} {}: {}", doing, path, std::strerror(error));
}

absl::Status SyncFolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open()) return Failed("open", folder);
  return ::fsync(opened.number()) == 0 ? absl::OkStatus() : Failed("sync", folder);
}

}  // namespace

absl::StatusOr<std::unique_ptr<TemporaryFile>> TemporaryFile::Create(const std::string& folder) {
  std::string path = files::Join(folder, std::string(kUnsealedPrefix) + "XXXXXX");
  Descriptor file(::mkostemp(path.data(), O_CLOEXEC));
  if (!file.is_open()) return Failed("create a file in", folder);
  return std::unique_ptr<TemporaryFile>(new TemporaryFile(std::move(file), std::move(path)));
}

absl::Status TemporaryFile::RemoveLeftovers(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.path().filename().string().starts_with(kUnsealedPrefix)) continue;
    RETURN_IF_ERROR(files::Remove(entry.path().string()));
  }
  return absl::OkStatus();
}

TemporaryFile::TemporaryFile(Descriptor file, std::string path)
    : file_(std::move(file)), path_(std::move(path)) {}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

absl::Status TemporaryFile::WriteAt(int64_t offset, std::string_view bytes) {
  return WriteWholeAt(file_.number(), bytes, offset) ? absl::OkStatus() : Failed("write", path_);
}

absl::Status TemporaryFile::Append(std::string_view bytes) {
  RETURN_IF_ERROR(WriteAt(appended_, bytes));
  appended_ += std::ssize(bytes);
  return absl::OkStatus();
}

absl::Status TemporaryFile::ReadAt(int64_t offset, std::span<char> bytes) const {
  const ssize_t count = ReadWholeAt(file_.number(), bytes, offset);
  if (count < 0) return Failed("read", path_);
  if (count < std::ssize(bytes)) return Internal("{} has become shorter", path_);
  return absl::OkStatus();
}

absl::StatusOr<std::span<const char>> TemporaryFile::Map(int64_t size) const {
  const auto length = static_cast<size_t>(size);
  void* const start = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, file_.number(), 0);
  if (start == MAP_FAILED) return Failed("map", path_);
  return std::span<const char>(static_cast<const char*>(start), length);
}

void TemporaryFile::StartSync() { ::sync_file_range(file_.number(), 0, 0, SYNC_FILE_RANGE_WRITE); }

absl::Status TemporaryFile::Sync() {
  return ::fsync(file_.number()) == 0 ? absl::OkStatus() : Failed("sync", path_);
}

absl::Status TemporaryFile::Publish(const std::string& path) {
  if (path_.empty()) return absl::OkStatus();
  if (::rename(path_.c_str(), path.c_str()) != 0) return Failed("rename to", path);
  path_.clear();
  return SyncFolderOf(path);
}

}  // namespace tidemill::selector
