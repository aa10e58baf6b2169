// Divides what a worker uses among the jobs that it works for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "base/mutex.h"
#include "preprocess/worker/worker_job.h"

namespace tidemill::preprocess {

// The threads that make batches know their jobs. Those that receive samples and send batches serve
// all jobs. So the time of the whole process, since the last look, is divided in proportion to the
// time that the jobs' batches took to make, and equally if none was made. While there is no job,
// the time belongs to none. The shares add up to what the operating system counts. Thread-safe.
class WorkerUsage {
 public:
  using Jobs = std::map<int64_t, std::shared_ptr<WorkerJob>>;

  // Adds the time since the last call to the accounts of the jobs.
  void Divide(const Jobs& jobs) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  Mutex mutex_;
  int64_t divided_nanos_ ABSL_GUARDED_BY(mutex_) = 0;
  // The time that the batches of a job took to make, by the number of the job.
  std::map<int64_t, int64_t> made_nanos_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::preprocess
