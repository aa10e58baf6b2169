// Data files kept open between reads.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/client/mapped_file.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/filesystems/local.h"

namespace tidemill::storage {

// A data file, open and, if it is not small, mapped as long as it was when it was opened.
struct DataFile {
  OpenFile file;
  // nullptr for a small file (a process may have 65,530 mappings) and one that cannot be mapped.
  std::shared_ptr<const MappedFile> mapping;
};

// The least recently used files are closed beyond a number. Thread-safe.
class OpenFiles {
 public:
  // `files` must outlive it.
  OpenFiles(UnpackedCache& files, int64_t max_open_files)
      : files_(files), max_open_files_(max_open_files) {}

  // The file at a path, unpacked where it is compressed. It may have been replaced since it was
  // opened: whoever reads checks the content, and asks for a fresh one when it is wrong. Shared
  // with concurrent readers, who keep it open. Codes as UnpackedCache::Open.
  absl::StatusOr<std::shared_ptr<const DataFile>> Get(const std::string& path)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Opens the path anew, if what is open is still `stale`.
  absl::StatusOr<std::shared_ptr<const DataFile>> GetFresh(
      const std::string& path, const std::shared_ptr<const DataFile>& stale)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Entry = std::pair<std::string, std::shared_ptr<const DataFile>>;
  std::shared_ptr<const DataFile> Find(const std::string& path) ABSL_LOCKS_EXCLUDED(mutex_);

  UnpackedCache& files_;
  const int64_t max_open_files_;
  Mutex mutex_;
  std::list<Entry> used_ ABSL_GUARDED_BY(mutex_);  // Most recent first.
  std::map<std::string, std::list<Entry>::iterator> by_path_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage
