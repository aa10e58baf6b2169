// Ingests datasets: it turns files into samples.
//   scan -> changed files, in the order of their paths
//             |  |  |
//           parsers, in parallel        bytes -> records, labels, times; bad ones -> quarantine
//             |  |  |
//           batch builder               in the order of the paths again: keys, segments
//                |
//           column files                written, synced
//                |
//           BatchCommitter              one transaction: COPY of the rows, watermark, tombstones
//
// Only the parsers run in parallel, because keys are allocated in the order of paths.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "storage/catalog/dataset_catalog.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/ingest/file_intake.h"
#include "storage/ingest/settle_wait.h"

namespace tidemill::storage {

struct IngestorOptions {
  // The number of threads that parse files.
  int num_parsers = 2;
  // How long a file must be unchanged before it is ingested, unless its dataset's spec says
  // otherwise.
  Duration settle{1'000'000};
  // How long a sync waits for files that still change, unless its dataset's spec says otherwise.
  Duration settle_limit{60'000'000};
  IntakeOptions intake = {};
};

// How a caller waits for a sync.
struct SyncWait {
  // Instead of the dataset's limit.
  std::optional<Duration> limit = {};
  // Whether the caller has left. Empty: it has not.
  std::function<bool()> is_abandoned = {};
};

struct SyncProgress {
  int64_t num_files_done = 0;
  int64_t num_files_found = 0;
  int64_t num_samples = 0;      // New ones.
  int64_t num_quarantined = 0;  // Records and files.
  int64_t num_deleted = 0;      // Samples whose records have vanished.
  int64_t num_replaced = 0;     // The deleted ones for which their file has as many new ones.
  int64_t num_passed_over = 0;  // Links and special files among the files.
  std::string first_passed_over = {};
  int64_t num_awaited = 0;  // Files that still change, for which the sync waits.
  // The files that were there when a waiting sync began, and whose present content is not in its
  // snapshot. Known at its end. At most kMostNamed are named, with paths below the folder.
  static constexpr int64_t kMostNamed = 20;
  int64_t num_not_taken = 0;
  std::vector<FileNotTaken> not_taken = {};
};

// Thread-safe. One sync of a dataset runs at a time.
//
// Files are parsed in parallel and committed in the order of their paths. A transaction has a batch
// of files, or a piece of a large file. Keys therefore depend on the files alone, and a process
// that is killed at any time has ingested whole batches, each once. Memory depends on the size of a
// batch, not on the size of a file. The exception is a large file that was replaced: it is compared
// as a whole.
class Ingestor {
 public:
  // All must outlive this object.
  Ingestor(db::Database& database, DatasetCatalog& catalog, UnpackedCache& files,
           IngestorOptions options);

  // Ingests the files that are new, grown, replaced or gone. A file may have changed less than
  // `settle` ago. With `wait`, the sync waits until all files that it finds at first have settled,
  // and takes them together. The last progress contains the files that it did not take in the end.
  // Without `wait`, a later sync takes such a file, and nothing is done while another sync waits.
  // Returns the snapshot of everything. NOT_FOUND when the dataset is unknown. UNAVAILABLE when its
  // folder cannot be read, or has none of the earlier files; then no sample is deleted.
  absl::StatusOr<DatasetSnapshot> Sync(DatasetId dataset, bool wait,
                                       const std::function<void(const SyncProgress&)>& progress,
                                       const SyncWait& how = {});

 private:
  class Run;
  class Waiting;
  bool IsAwaited(DatasetId dataset) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns CANCELLED when the dataset leaves, or the caller has left.
  absl::Status Pause(DatasetId dataset, Duration pause, const SyncWait& how,
                     const std::function<void()>& report) const;

  db::Database& database_;
  DatasetCatalog& catalog_;
  UnpackedCache& files_;
  const IngestorOptions options_;
  WorkerPool parsers_;
  Mutex mutex_;
  // The datasets for which this process has removed the unfinished work of an earlier process.
  std::set<DatasetId> cleared_ ABSL_GUARDED_BY(mutex_);
  // For each dataset, the files in the quarantine whose paths cannot be stored, once they are
  // known.
  std::map<DatasetId, std::vector<std::string>> unnamed_ ABSL_GUARDED_BY(mutex_);
  // The number of syncs that wait for files of a dataset.
  std::map<DatasetId, int> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage
