// Commits the batches of a sync while the next batches are made.
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

// The counts of what has been committed.
struct CommittedCounts {
  int64_t num_files = 0;    // Files that are committed to their ends.
  int64_t num_samples = 0;  // New samples.
  int64_t num_deleted = 0;
  int64_t num_replaced = 0;     // Deleted samples for which the same file has as many new ones.
  int64_t num_quarantined = 0;  // Records and files.
};

// Uses one connection, one thread, and one transaction per batch, in the order in which batches are
// added. At most three batches exist: one is committed, one waits, one is being made.
// Thread-compatible.
class BatchCommitter {
 public:
  // Connects while the first batch is made. `database` must outlive this object.
  BatchCommitter(db::Database& database, std::string storage_folder, DatasetId dataset);
  // Drops the waiting batch, and waits for the transaction in progress.
  ~BatchCommitter();
  BatchCommitter(const BatchCommitter&) = delete;
  BatchCommitter& operator=(const BatchCommitter&) = delete;

  // Adds a batch whose column files are written. Blocks while another batch is waiting. Returns the
  // failure of an earlier batch. No batch after a failed one is committed.
  absl::Status Add(IngestBatch batch) ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits until everything added is committed.
  absl::Status Drain() ABSL_LOCKS_EXCLUDED(mutex_);

  // Does the same, and summarises the indexes. Nothing may be added afterwards.
  absl::Status Finish() ABSL_LOCKS_EXCLUDED(mutex_);

  CommittedCounts counts() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Loop() ABSL_LOCKS_EXCLUDED(mutex_);
  void Note(const absl::Status& status, const IngestBatch& batch) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the next batch, or none when the thread must stop.
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
  WorkerPool thread_;  // The last member: it starts once all members above exist.
};

}  // namespace tidemill::storage
