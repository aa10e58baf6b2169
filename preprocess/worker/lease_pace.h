// How many splits a worker leases ahead.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>

namespace tidemill::preprocess {

// Each thread has one split in progress and one ready for it. When splits are quick, it has as many
// as take 20 ms, so that it does not wait for the dispatcher's answer, which takes as long as
// several of them. The worker asks again when half of these are done, not at each one that ends: an
// answer costs the dispatcher a transaction. The job with the slowest splits decides, and a job
// that is new counts as slow: other workers must find splits of it, too. Thread-compatible.
class LeasePace {
 public:
  using Duration = std::chrono::steady_clock::duration;

  explicit LeasePace(int num_threads) : num_threads_(num_threads) {}

  // Notes that a split of the job is being made.
  void Begin(int64_t job_id) { split_times_.try_emplace(job_id, Duration::zero()); }
  // Notes the time that a thread took for a split of the job.
  void Note(int64_t job_id, Duration took);
  // Forgets a job that has ended.
  void Forget(int64_t job_id) { split_times_.erase(job_id); }

  // Returns how many splits to ask for when `num_making` are leased and not done; 0 when it is too
  // early to ask.
  int Wanted(int num_making) const;

 private:
  const int num_threads_;
  // The mean of the last ones, by job; 0 before the first is done.
  std::map<int64_t, Duration> split_times_;
};

}  // namespace tidemill::preprocess
