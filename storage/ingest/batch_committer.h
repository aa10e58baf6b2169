// Commits the batches of one sync while the next ones are made.
#pragma once

#include <optional>
#include <string>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "db/database.h"
#include "storage/ingest/ingest_batch.h"
#include "storage/ingest/summarizer.h"

namespace tidemill::storage {

// What has been committed.
struct CommittedCounts {
  int64_t num_files = 0;    // To their ends.
  int64_t num_samples = 0;  // New ones.
  int64_t num_deleted = 0;
  int64_t num_quarantined = 0;  // Records and files.
};

// One connection, one thread, one transaction a batch, in the order in which they are added. Three
// batches exist at most: one is committed, one waits, one is being made. Thread-compatible.
class BatchCommitter {
 public:
  // Connects while the first batch is made. `database` must outlive it.
  BatchCommitter(db::Database& database, std::string storage_folder, DatasetId dataset);
  // Drops the batch that waits and waits for the transaction in progress.
  ~BatchCommitter();
  BatchCommitter(const BatchCommitter&) = delete;
  BatchCommitter& operator=(const BatchCommitter&) = delete;

  // Takes over a batch whose column files are written, once none waits before it. The failure of an
  // earlier batch, behind which none is committed.
  absl::Status Add(IngestBatch batch) ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits until all that was added is committed.
  absl::Status Drain() ABSL_LOCKS_EXCLUDED(mutex_);

  // The same, and the indexes are summarised. Nothing may be added afterwards.
  absl::Status Finish() ABSL_LOCKS_EXCLUDED(mutex_);

  CommittedCounts counts() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Loop() ABSL_LOCKS_EXCLUDED(mutex_);
  void Note(const absl::Status& status, const IngestBatch& batch) ABSL_LOCKS_EXCLUDED(mutex_);
  // The next batch, or none when it is time to stop.
  std::optional<IngestBatch> Next() ABSL_LOCKS_EXCLUDED(mutex_);

  db::Database& database_;
  const std::string storage_folder_;
  const DatasetId dataset_;
  Summarizer summarizer_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::optional<IngestBatch> waiting_ ABSL_GUARDED_BY(mutex_);
  bool committing_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  CommittedCounts counts_ ABSL_GUARDED_BY(mutex_);
  WorkerPool thread_;  // Last: it starts once everything above exists.
};

}  // namespace tidemill::storage
