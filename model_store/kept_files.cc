#include "model_store/kept_files.h"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/logs/log.h"

namespace tidemill::model_store {
namespace {

namespace fs = std::filesystem;

}  // namespace

bool IsDigest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

IncomingFile::IncomingFile(std::unique_ptr<PartFile> file, std::string folder, std::string digest,
                           int64_t size_bytes)
    : file_(std::move(file)),
      folder_(std::move(folder)),
      digest_(std::move(digest)),
      missing_bytes_(size_bytes),
      size_bytes_(size_bytes) {}

absl::Status IncomingFile::Append(std::string_view bytes) {
  if (static_cast<int64_t>(bytes.size()) > missing_bytes_) {
    return DataLoss("received more bytes than the {} announced", size_bytes_);
  }
  missing_bytes_ -= static_cast<int64_t>(bytes.size());
  return file_->Append(bytes);
}

absl::Status IncomingFile::Finish() {
  RETURN_IF_ERROR(file_->Seal(size_bytes_, digest_));
  RETURN_IF_ERROR(file_->Publish());
  return SyncFolder(folder_);
}

absl::StatusOr<KeptFiles> KeptFiles::Open(const std::string& folder) {
  RETURN_IF_ERROR(files::CreateFolder(folder));
  std::error_code error;
  std::vector<std::string> leftovers;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    if (path.ends_with(kPartialSuffix)) leftovers.push_back(path);
  }
  if (error) return Unavailable("cannot list {}: {}", folder, error.message());
  for (const std::string& path : leftovers) RETURN_IF_ERROR(files::Remove(path));
  return KeptFiles(folder, kMaxOfPipeline);
}

absl::StatusOr<std::string> KeptFiles::PathOf(const std::string& digest) const {
  if (!IsDigest(digest)) return InvalidArgument("'{}' is not a SHA-256 in hexadecimal", digest);
  return files::Join(folder_, digest);
}

absl::StatusOr<std::unique_ptr<IncomingFile>> KeptFiles::Begin(const std::string& digest,
                                                               int64_t size_bytes) const {
  ASSIGN_OR_RETURN(const std::string path, PathOf(digest));
  if (size_bytes < 0) return InvalidArgument("a file of {} bytes", size_bytes);
  if (size_bytes > max_bytes_) {
    return ResourceExhausted("a file has {} bytes; at most {} are allowed", size_bytes, max_bytes_);
  }
  ASSIGN_OR_RETURN(auto file, PartFile::Create(path));
  return std::unique_ptr<IncomingFile>(
      new IncomingFile(std::move(file), folder_, digest, size_bytes));
}

absl::StatusOr<int64_t> KeptFiles::Find(const std::string& digest) const {
  ASSIGN_OR_RETURN(const std::string path, PathOf(digest));
  MutexLock lock(*mutex_);
  std::error_code error;
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);
  const auto size = fs::file_size(path, error);
  if (error) return NotFound("there is no file with the SHA-256 {}", digest);
  return static_cast<int64_t>(size);
}

bool KeptFiles::IsSound(const std::string& digest, int64_t size_bytes) const {
  const auto found = Find(digest);
  if (!found.ok() || *found != size_bytes) return false;
  return Read(digest, [](std::string_view) { return absl::OkStatus(); }).ok();
}

absl::Status KeptFiles::Read(const std::string& digest,
                             const std::function<absl::Status(std::string_view)>& sink) const {
  ASSIGN_OR_RETURN(const int64_t size_bytes, Find(digest));
  return ReadVerified(files::Join(folder_, digest), size_bytes, digest, sink);
}

absl::StatusOr<int64_t> KeptFiles::CountBytes() const {
  std::error_code error;
  int64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    std::error_code gone;
    const auto size = entry.file_size(gone);
    if (!gone && IsDigest(entry.path().filename().string())) bytes += static_cast<int64_t>(size);
  }
  if (error) return Unavailable("cannot list {}: {}", folder_, error.message());
  return bytes;
}

absl::StatusOr<int64_t> KeptFiles::Retire(const std::set<std::string>& kept, Duration grace) const {
  std::error_code error;
  const auto oldest = fs::file_time_type::clock::now() - std::chrono::microseconds(grace.micros);
  std::vector<std::string> unused;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (IsDigest(name) && !kept.contains(name)) unused.push_back(entry.path().string());
  }
  if (error) return Unavailable("cannot list {}: {}", folder_, error.message());
  int64_t num_retired = 0;
  for (const std::string& path : unused) {
    // No other caller learns in the meantime that the file exists.
    MutexLock lock(*mutex_);
    std::error_code gone;
    const auto used = fs::last_write_time(path, gone);
    if (gone || used > oldest) continue;
    RETURN_IF_ERROR(files::Remove(path));
    log::Info("removed a file that nothing names", {{"path", path}});
    ++num_retired;
  }
  return num_retired;
}

}  // namespace tidemill::model_store
