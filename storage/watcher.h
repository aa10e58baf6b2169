// Keeps datasets up to date with their folders.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/mutex.h"
#include "base/periodic_task.h"
#include "storage/dataset_catalog.h"
#include "storage/ingestor.h"

namespace tidemill::storage {

// Listens to the folders of all registered datasets (inotify) and syncs a dataset soon after
// something changed in its folder, and every `scan_interval` in any case: inotify sees neither
// network filesystems nor what overflowed its queue. Thread-safe; the destructor stops it.
class Watcher {
 public:
  Watcher(DatasetCatalog& catalog, Ingestor& ingestor, std::chrono::milliseconds scan_interval);
  ~Watcher();

 private:
  struct Watched {
    std::string root;
    std::chrono::steady_clock::time_point next_scan;
  };
  absl::Status Step() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Follow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::set<DatasetId> Changed() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Listen(DatasetId id, const std::string& root) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  DatasetCatalog& catalog_;
  Ingestor& ingestor_;
  const std::chrono::milliseconds scan_interval_;
  const int notifier_;  // inotify's descriptor, -1 when there is none.
  Mutex mutex_;
  std::map<DatasetId, Watched> watched_ ABSL_GUARDED_BY(mutex_);
  std::map<int, DatasetId> folders_ ABSL_GUARDED_BY(mutex_);  // By watch descriptor.
  PeriodicTask task_;  // Last: it starts once everything above exists.
};

}  // namespace tidemill::storage
