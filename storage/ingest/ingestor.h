// Ingests datasets: it turns files into samples.
#pragma once

#include <functional>
#include <map>
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

namespace tidemill::storage {

struct IngestorOptions {
  // The number of threads that parse files.
  int num_parsers = 2;
  // How long a file must be unchanged, unless its dataset's spec says.
  Duration settle{1'000'000};
  IntakeOptions intake = {};
};

struct SyncProgress {
  int64_t num_files_done = 0;
  int64_t num_files_found = 0;
  int64_t num_samples = 0;      // New ones.
  int64_t num_quarantined = 0;  // Records and files.
  int64_t num_deleted = 0;      // Samples whose records have vanished.
  int64_t num_passed_over = 0;  // Links and special files among the files.
  std::string first_passed_over = {};
};

// Thread-safe. One sync of a dataset runs at a time.
//
// Files are parsed in parallel and committed in the order of their paths. A transaction has a batch
// of files, or a piece of a large file. Keys therefore depend on the files alone, and a process
// that is killed at any time has ingested whole batches, each once. Memory depends on the size of a
// batch, not on that of files. There is one exception: a large file that was replaced is compared
// as a whole.
class Ingestor {
 public:
  // All must outlive this object.
  Ingestor(db::Database& database, DatasetCatalog& catalog, UnpackedCache& files,
           IngestorOptions options);

  // Lists the dataset's files once and ingests what is new, grown, replaced or gone. A file may
  // have changed less than `settle` ago. With `wait`, the sync waits for it if that takes seconds;
  // otherwise it is left to a later sync. Returns the snapshot of everything. NOT_FOUND when the
  // dataset is unknown. UNAVAILABLE when its folder cannot be read, or has none of the earlier
  // files; then no sample is deleted.
  absl::StatusOr<DatasetSnapshot> Sync(DatasetId dataset, bool wait,
                                       const std::function<void(const SyncProgress&)>& progress);

 private:
  class Run;
  db::Database& database_;
  DatasetCatalog& catalog_;
  UnpackedCache& files_;
  const IngestorOptions options_;
  WorkerPool parsers_;
  Mutex mutex_;
  // The datasets for which this process has removed what an earlier process left half done.
  std::set<DatasetId> cleared_ ABSL_GUARDED_BY(mutex_);
  // For each dataset, the files in the quarantine whose paths cannot be stored, where that is
  // known.
  std::map<DatasetId, std::vector<std::string>> unnamed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage
