#include "storage/filesystems/allowed_roots.h"

#include <sys/stat.h>

#include <sstream>

#include "base/files.h"

namespace tidemill::storage {

AllowedRoots::FileState AllowedRoots::StateOfFile() const {
  struct stat status = {};
  if (options_.file.empty() || stat(options_.file.c_str(), &status) != 0) return {};
  return {
      .inode = static_cast<int64_t>(status.st_ino),
      .size_bytes = status.st_size,
      .modified_nanos = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

std::shared_ptr<const DataRoots> AllowedRoots::Load() const {
  std::vector<std::string> roots = options_.roots;
  if (!options_.file.empty()) {
    if (const auto more = files::Read(options_.file); more.ok()) {
      std::istringstream lines(*more);
      for (std::string line; std::getline(lines, line);) roots.push_back(line);
    }
  }
  return std::make_shared<const DataRoots>(
      roots, std::make_shared<const StateFolders>(options_.own_state));
}

std::shared_ptr<const DataRoots> AllowedRoots::Present() const {
  const FileState file = StateOfFile();
  const Clock::time_point now = Clock::now();
  {
    MutexLock lock(mutex_);
    if (roots_ != nullptr && file == file_ && now - loaded_at_ < kMaxAge) return roots_;
  }
  // Several may load at once. The content that one of them read is never older than the identity
  // that it checked.
  std::shared_ptr<const DataRoots> loaded = Load();
  MutexLock lock(mutex_);
  if (roots_ == nullptr || loaded_at_ <= now) {
    roots_ = loaded;
    file_ = file;
    loaded_at_ = now;
  }
  return loaded;
}

}  // namespace tidemill::storage
