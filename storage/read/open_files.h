// Data files kept open between reads.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/filesystems/local.h"
#include "storage/gather/mapped_file.h"

namespace tidemill::storage {

// An open data file. Unless it is small, it is mapped with its length when it was opened.
struct DataFile {
  OpenFile file;
  // nullptr for a small file, because a process may have only 65,530 mappings, and for a file that
  // cannot be mapped.
  std::shared_ptr<const MappedFile> mapping;
};

// Beyond a number of files, the least recently used ones are closed. Thread-safe.
class OpenFiles {
 public:
  // `files` must outlive this object.
  OpenFiles(UnpackedCache& files, int64_t max_open_files)
      : files_(files), max_open_files_(max_open_files) {}

  // Returns the file at a path, unpacked when it is compressed. The file may have been replaced
  // after it was opened. A reader therefore checks the content against the hashes, and calls
  // GetFresh() when they differ. Concurrent readers share the file and keep it open. Returns the
  // errors of UnpackedCache::Open.
  absl::StatusOr<std::shared_ptr<const DataFile>> Get(const std::string& path)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // See CheckDataFolder().
  absl::Status CheckFolder(const std::string& folder) const {
    return CheckDataFolder(files_.source(), folder);
  }

  // Opens the path again if the open file is still `stale`.
  absl::StatusOr<std::shared_ptr<const DataFile>> GetFresh(
      const std::string& path, const std::shared_ptr<const DataFile>& stale)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Entry = std::pair<std::string, std::shared_ptr<const DataFile>>;
  std::shared_ptr<const DataFile> Find(const std::string& path) ABSL_LOCKS_EXCLUDED(mutex_);

  UnpackedCache& files_;
  const int64_t max_open_files_;
  Mutex mutex_;
  std::list<Entry> used_ ABSL_GUARDED_BY(mutex_);  // The most recent first.
  std::map<std::string, std::list<Entry>::iterator> by_path_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage
