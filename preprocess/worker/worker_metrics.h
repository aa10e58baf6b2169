// Adds the work of a worker to the metrics of its process.
#pragma once

#include <cstdint>
#include <map>

#include "base/metrics.h"
#include "loader/path/path_work.h"

namespace tidemill::preprocess {

// Counts over all jobs together. Ops are counted by type. Thread-compatible.
class WorkerMetrics {
 public:
  explicit WorkerMetrics(metrics::Registry& registry);

  // Adds the difference to the work noted for the job before.
  void Note(int64_t job_id, const loader::PathWork& work);
  // Forgets a job that is over. Work under its number then counts from zero.
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
