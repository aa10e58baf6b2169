// Keeps datasets up to date with their folders.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>

#include "base/descriptor.h"
#include "base/mutex.h"
#include "base/threads/periodic_task.h"
#include "storage/catalog/dataset_catalog.h"
#include "storage/ingest/ingestor.h"

namespace tidemill::storage {

struct WatcherOptions {
  // Time between two listings of a dataset's folder.
  std::chrono::milliseconds scan_interval{5'000};
  // The same of a folder in an object store, where each listing costs requests.
  std::chrono::milliseconds store_scan_interval{60'000};
};

// Listens to the folders of all registered datasets (inotify) and syncs a dataset soon after
// something changed in its folder, and every `scan_interval` in any case: inotify sees neither
// network filesystems nor what overflowed its queue. What happens in an object store is found by
// listing it. Thread-safe; the destructor stops it.
class Watcher {
 public:
  // `catalog` and `ingestor` must outlive it.
  Watcher(DatasetCatalog& catalog, Ingestor& ingestor, WatcherOptions options);

 private:
  using Clock = std::chrono::steady_clock;

  // inotify's descriptor; without one, which is no failure, datasets are only scanned.
  class Notifier {
   public:
    Notifier();
    // The datasets in whose folders something happened.
    std::set<DatasetId> Changed();
    // Listens to a folder and all below it, unless it does already.
    void Listen(DatasetId id, const std::string& root);

   private:
    const Descriptor inotify_;
    std::map<int, std::set<DatasetId>> listeners_;  // By watch descriptor.
  };

  absl::Status Step();

  DatasetCatalog& catalog_;
  Ingestor& ingestor_;
  const WatcherOptions options_;
  // Of the task's thread alone.
  Notifier notifier_;
  std::map<DatasetId, Clock::time_point> next_scan_;
  Clock::time_point next_listing_;
  PeriodicTask task_;  // Last: it starts once everything above exists.
};

}  // namespace tidemill::storage
