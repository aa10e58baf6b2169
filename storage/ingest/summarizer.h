// Keeps the BRIN indexes of a dataset's samples up to date while samples are added.
#pragma once

#include <optional>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "db/database.h"

namespace tidemill::storage {

// Works in its own thread, beside the COPY. Thread-compatible. A failure is logged; without
// summaries queries are slower, not wrong.
class Summarizer {
 public:
  // `database` must outlive this object.
  Summarizer(db::Database& database, DatasetId dataset);

  // Call it after each commit but the last, from one thread. Soon afterwards, the ranges that are
  // full are summarised.
  void Continue() ABSL_LOCKS_EXCLUDED(mutex_);
  // Call it after the last commit. Summarises everything, and returns when that is done.
  void Finish() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void SummarizeFull() ABSL_LOCKS_EXCLUDED(mutex_);

  db::Database& database_;
  const DatasetId dataset_;
  int64_t next_page_ = 0;  // Used by the thread only.
  Mutex mutex_;
  bool waits_ ABSL_GUARDED_BY(mutex_) = false;  // One waiting task is enough.
  // The last member: its destructor waits for the statement in progress.
  std::optional<WorkerPool> thread_;
};

}  // namespace tidemill::storage
