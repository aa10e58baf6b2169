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
  // The same for a folder in an object store, where every listing costs requests.
  std::chrono::milliseconds store_scan_interval{60'000};
};

// Listens to the folders of all registered datasets (inotify), and syncs a dataset soon after
// something changed in its folder. Also syncs every dataset each `scan_interval`, because inotify
// misses network filesystems and events beyond its queue. Changes in an object store are found by
// listing it. Thread-safe. The destructor stops it.
class Watcher {
 public:
  // `catalog` and `ingestor` must outlive this object.
  Watcher(DatasetCatalog& catalog, Ingestor& ingestor, WatcherOptions options);

 private:
  using Clock = std::chrono::steady_clock;

  // The descriptor of inotify. Without one, datasets are only scanned, which is not a failure.
  class Notifier {
   public:
    Notifier();
    // Returns the datasets in whose folders something happened.
    std::set<DatasetId> Changed();
    // Listens to a folder and everything below it. Repeated calls change nothing.
    void Listen(DatasetId id, const std::string& root);

   private:
    const Descriptor inotify_;
    std::map<int, std::set<DatasetId>> listeners_;  // By watch descriptor.
  };

  absl::Status Step();

  DatasetCatalog& catalog_;
  Ingestor& ingestor_;
  const WatcherOptions options_;
  // Used by the task's thread only.
  Notifier notifier_;
  std::map<DatasetId, Clock::time_point> next_scan_;
  Clock::time_point next_listing_;
  PeriodicTask task_;  // The last member: it starts once all members above exist.
};

}  // namespace tidemill::storage
