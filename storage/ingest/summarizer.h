// Keeps the BRIN indexes of a dataset's samples up to date while samples are added.
#pragma once

#include <optional>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "db/database.h"

namespace tidemill::storage {

// Works in a thread of its own, beside the COPY that goes on. Thread-compatible. A failure is
// logged: queries are slower without, not wrong.
class Summarizer {
 public:
  // `database` must outlive it.
  Summarizer(db::Database& database, DatasetId dataset);

  // Rows were committed and more are to come: summarises soon what is full. From one thread.
  void Continue() ABSL_LOCKS_EXCLUDED(mutex_);
  // No more are to come: summarises all, and returns when that is done.
  void Finish() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void SummarizeFull() ABSL_LOCKS_EXCLUDED(mutex_);

  db::Database& database_;
  const DatasetId dataset_;
  int64_t next_page_ = 0;  // Of the thread alone.
  Mutex mutex_;
  bool waits_ ABSL_GUARDED_BY(mutex_) = false;  // One that has not begun is enough.
  std::optional<WorkerPool> thread_;  // Last: its destructor waits for the statement in progress.
};

}  // namespace tidemill::storage
