// How many workers the trainings need: the fewest with which they wait for no batch.
//
//   a job's consumers                   its workers
//   r batches/s if they never waited    s thread seconds a batch
//   r = batches / seconds not waited    s = seconds busy / batches
//                 \                     /
//                  need = sum of r * s         threads
//                                |
//   wanted = argmin over n of (J + n * cost) / min(1, n * threads / need)
//
// Nothing is read off queues and their lengths: a queue that is full or empty does not say by how
// much. A consumer that waits for most of its time says how fast it is whenever it does not wait,
// so that one look suffices for any number of workers (feed-forward, as in tf.data service's
// auto_scaler, "N = sum of consumers' rates / rate of a worker"; Audibert et al., SoCC 2023). What
// was measured is the mean over the last seconds. (J + n * cost) / rate is what a batch costs when
// a second of each of J trainings costs 1: a worker more is wanted if the time that it saves is
// worth more than it costs.
//
// More workers are wanted at once, fewer after `settle`, in which no more were wanted: a wrong
// guess then costs workers' seconds and not a training's. Between them is a band in which nothing
// changes.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tidemill::preprocess {

// Totals of a job since its beginning. They may begin again at 0.
struct JobTotals {
  int64_t job_id = 0;
  std::string name = {};
  int num_consumers = 1;
  // Batches that consumers took, over all of them.
  int64_t taken = 0;
  // The seconds of all consumers, and those in which they did not wait.
  double consumer_seconds = 0;
  double not_waited_seconds = 0;
  // Batches that workers made, and the seconds of threads for which they were busy with them, but
  // did not wait for a processor.
  int64_t made = 0;
  double busy_seconds = 0;
};

struct DemandLimits {
  int64_t least = 0;
  int64_t most = 8;
  // What a second of a worker costs; that of a training costs 1.
  double cost = 0.05;
  std::chrono::microseconds settle{20'000'000};
};

// What a job needs, as far as it is known.
struct JobDemand {
  int64_t job_id = 0;
  std::string name = {};
  double batches_per_second = 0;
  double seconds_per_batch = 0;
  double wait_share = 0;
  // The threads that it needs.
  double threads = 0;
};

// A change of the wanted number.
struct DemandChange {
  int64_t before = 0;
  int64_t wanted = 0;
  double threads_per_worker = 0;
  std::vector<JobDemand> jobs = {};
  std::string reason = {};
};

// Thread-compatible. It depends on nothing but its inputs.
class WorkerDemand {
 public:
  using Clock = std::chrono::steady_clock;

  // `wanted` is the number to begin with.
  WorkerDemand(const DemandLimits& limits, int64_t wanted);

  // Takes what there is at `now`; call it every second or so. `threads_per_worker` is that of the
  // workers there are, or of those that would be started. Returns the change, if there is one.
  std::optional<DemandChange> Observe(Clock::time_point now, const std::vector<JobTotals>& jobs,
                                      double threads_per_worker);

  int64_t wanted() const { return wanted_; }

 private:
  struct Sample {
    Clock::time_point at;
    JobTotals totals;
  };

  // Returns what the job needs; std::nullopt while too little of it was seen.
  static std::optional<JobDemand> DemandOf(const std::deque<Sample>& samples);
  // Drops what was seen before the load changed.
  static void ForgetBeforeShift(std::deque<Sample>& samples);
  void Remember(Clock::time_point now, const std::vector<JobTotals>& jobs);
  // Returns the best number for a need of threads, within the limits.
  int64_t Best(double threads, double threads_per_worker, size_t num_jobs) const;
  DemandChange Change(int64_t wanted, double threads_per_worker, std::vector<JobDemand> jobs,
                      std::string reason);

  const DemandLimits limits_;
  int64_t wanted_;
  std::map<int64_t, std::deque<Sample>> samples_;
  // Since when fewer workers suffice, and the most that were wanted since.
  std::optional<Clock::time_point> fewer_since_;
  int64_t most_since_ = 0;
};

}  // namespace tidemill::preprocess
