// From files to samples.
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
  // Threads that parse files.
  int num_parsers = 2;
  // How long a file must be unchanged, where its dataset's spec does not say.
  Duration settle{1'000'000};
  IntakeOptions intake = {};
};

struct SyncProgress {
  int64_t num_files_done = 0;
  int64_t num_files_found = 0;
  int64_t num_samples = 0;      // New ones.
  int64_t num_quarantined = 0;  // Records and files.
  int64_t num_deleted = 0;      // Samples whose records are gone.
  int64_t num_passed_over = 0;  // Links and special files where files are looked for.
  std::string first_passed_over = {};
};

// Ingests datasets. Thread-safe; one sync of a dataset at a time.
//
// Files are parsed side by side and committed in the order of their paths, a batch of files, or a
// piece of a large one, in one transaction: keys depend on the files alone, and a process killed at
// any moment has ingested whole batches, each once. Memory depends on the size of a batch, not on
// that of files; but a large file that was replaced is compared as a whole.
class Ingestor {
 public:
  // All must outlive it.
  Ingestor(db::Database& database, DatasetCatalog& catalog, UnpackedCache& files,
           IngestorOptions options);

  // Lists the dataset's files once and takes in what is new, grown, replaced or gone. A file that
  // changed less than `settle` ago is waited for when `wait` and it takes seconds, else left to a
  // later sync. Returns the snapshot of all of it. NOT_FOUND for an unknown dataset; UNAVAILABLE
  // when its folder cannot be read, or holds none of the files it had: nothing is taken as deleted
  // then.
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
  // Datasets that this process has cleared of what an earlier one left half done.
  std::set<DatasetId> cleared_ ABSL_GUARDED_BY(mutex_);
  // What the quarantine says of files whose paths cannot be kept, where that is known.
  std::map<DatasetId, std::vector<std::string>> unnamed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage
