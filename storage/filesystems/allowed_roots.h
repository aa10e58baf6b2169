// The current data roots of a storage service.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "storage/filesystems/data_roots.h"

namespace tidemill::storage {

struct AllowedRootsOptions {
  // Absolute folders, and s3://bucket/folder.
  std::vector<std::string> roots;
  // A file with further roots, one on each line. Empty when there is none.
  std::string file = {};
  // This stack's own state folder and file of tokens, which no path may lead to.
  std::vector<std::string> own_state = {};
};

// Thread-safe.
class AllowedRoots {
 public:
  explicit AllowedRoots(AllowedRootsOptions options) : options_(std::move(options)) {}

  // Returns the roots as they are now. Steps that belong together must use the same result. A
  // change of the file takes effect at once. Roots that were created, removed or mounted take
  // effect after kMaxAge.
  std::shared_ptr<const DataRoots> Present() const ABSL_LOCKS_EXCLUDED(mutex_);

  static constexpr std::chrono::milliseconds kMaxAge{200};

 private:
  using Clock = std::chrono::steady_clock;
  // Distinguishes the states of the file.
  struct FileState {
    int64_t inode = 0;
    int64_t size_bytes = 0;
    int64_t modified_nanos = 0;
    friend bool operator==(const FileState&, const FileState&) = default;
  };
  FileState StateOfFile() const;
  std::shared_ptr<const DataRoots> Load() const;

  const AllowedRootsOptions options_;
  mutable Mutex mutex_;
  mutable std::shared_ptr<const DataRoots> roots_ ABSL_GUARDED_BY(mutex_);
  mutable FileState file_ ABSL_GUARDED_BY(mutex_);
  mutable Clock::time_point loaded_at_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage
