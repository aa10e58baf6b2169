#include "storage/read/open_files.h"

#include <utility>

namespace tidemill::storage {

namespace {

constexpr int64_t kLeastMapped = 256 << 10;

absl::StatusOr<std::shared_ptr<const DataFile>> Opened(OpenFile file) {
  ASSIGN_OR_RETURN(const FileIdentity identity, file.Identity());
  std::shared_ptr<const MappedFile> mapping;
  if (!file.is_remote() && identity.size_bytes >= kLeastMapped) {
    // Without a mapping the file is read piece by piece.
    if (auto mapped = MappedFile::Map(file.descriptor()); mapped.ok()) mapping = *std::move(mapped);
  }
  return std::make_shared<const DataFile>(
      DataFile{.file = std::move(file), .mapping = std::move(mapping)});
}

}  // namespace

std::shared_ptr<const DataFile> OpenFiles::Find(const std::string& path) {
  MutexLock lock(mutex_);
  const auto it = by_path_.find(path);
  if (it == by_path_.end()) return nullptr;
  used_.splice(used_.begin(), used_, it->second);
  return it->second->second;
}

absl::StatusOr<std::shared_ptr<const DataFile>> OpenFiles::Get(const std::string& path) {
  if (std::shared_ptr<const DataFile> open = Find(path); open != nullptr) return open;
  return GetFresh(path, nullptr);
}

absl::StatusOr<std::shared_ptr<const DataFile>> OpenFiles::GetFresh(
    const std::string& path, const std::shared_ptr<const DataFile>& stale) {
  if (std::shared_ptr<const DataFile> open = Find(path); open != nullptr && open != stale) {
    return open;
  }
  ASSIGN_OR_RETURN(OpenFile opened, files_.Open(path));
  ASSIGN_OR_RETURN(std::shared_ptr<const DataFile> file, Opened(std::move(opened)));
  std::shared_ptr<const DataFile> closed;  // Outlives the lock.
  MutexLock lock(mutex_);
  if (const auto it = by_path_.find(path); it != by_path_.end()) {
    used_.erase(it->second);
    by_path_.erase(it);
  }
  used_.emplace_front(path, file);
  by_path_[path] = used_.begin();
  if (static_cast<int64_t>(used_.size()) > max_open_files_) {
    closed = used_.back().second;
    by_path_.erase(used_.back().first);
    used_.pop_back();
  }
  return file;
}

}  // namespace tidemill::storage
