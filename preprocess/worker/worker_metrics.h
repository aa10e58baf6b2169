// What a worker's making of batches adds to its process's metrics.
#pragma once

#include <cstdint>
#include <map>

#include "base/metrics.h"
#include "loader/path_work.h"

namespace tidemill::preprocess {

// Counts of all jobs together, those of ops by type. Thread-compatible.
class WorkerMetrics {
 public:
  explicit WorkerMetrics(metrics::Registry& registry);

  // Counts what is more than was noted of the job before.
  void Note(int64_t job_id, const loader::PathWork& work);
  // The job is over: what comes under its number begins anew.
  void Forget(int64_t job_id) { noted_.erase(job_id); }

 private:
  metrics::Counter& batches_;
  metrics::Counter& rows_;
  metrics::Counter& bytes_;
  metrics::Counter& busy_;
  metrics::Counter& cpu_;
  metrics::Counter& queued_;
  metrics::Counter& read_;
  metrics::Counter& link_busy_;
  metrics::Counter& op_rows_;
  metrics::Counter& op_rejected_;
  metrics::Counter& op_bytes_;
  metrics::Counter& op_cpu_;
  metrics::Counter& op_wall_;
  std::map<int64_t, loader::PathWork> noted_;
};

}  // namespace tidemill::preprocess
