// Decides how many threads prepare batches, while they do.
#pragma once

#include <optional>

#include "loader/path/path_work.h"

namespace tidemill::loader {

// Looks at a path about five times a second. Threads are added where they are the limit and
// processors are free, that is, where threads wait for storage or in an op; and only as many as the
// training can use. Each addition is a trial: one that brings nothing is taken back, and no other
// is made for a while, which is longer after each such trial. Threads that the training does not
// need are given up slowly. So the number does not go up and down.
//
//   threads  2 ──► 4 ──► 8 ──► 16     (the rate grew less than 5 %) ──► 8
//
// The prediction is that of predicted_gains.h, "twice the threads". Thread-compatible.
class ThreadTuner {
 public:
  // Begins with `first` threads, and never has fewer than `fewest` or more than `most`. If these
  // are equal, nothing is tuned.
  ThreadTuner(int fewest, int most, int first) : fewest_(fewest), most_(most), threads_(first) {}

  // `wait_share` and `work` are of the time since the last look, `rows_per_second` is the rate at
  // which the training took rows in it. Returns the number of threads from now on.
  int Look(double wait_share, double rows_per_second, const PathWork& work);

  int threads() const { return threads_; }
  // The number of threads without the trial that runs.
  int settled() const { return trial_ ? trial_->threads_before : threads_; }
  bool is_tuning() const { return fewest_ < most_; }

 private:
  struct Trial {
    int threads_before = 0;
    double rate_before = 0;
    double predicted = 1;  // The rate with the new threads over `rate_before`.
  };
  // The mean over the last looks with the same number of threads.
  struct Rate {
    double mean = 0;
    int num_looks = 0;

    void Add(double rate);
  };

  void JudgeTrial();
  void Grow(double factor);
  void Shrink(double used);
  void SetThreads(int threads);

  const int fewest_;
  const int most_;
  int threads_;
  Rate rate_;
  std::optional<Trial> trial_;
  // Whether the next look is too early to say anything: threads have only begun to work.
  bool is_settling_ = false;
  // The looks until the next trial, and the consecutive trials that brought nothing.
  int pause_ = 0;
  int num_failed_ = 0;
  // The consecutive looks at which the training did not wait.
  int calm_looks_ = 0;
};

}  // namespace tidemill::loader
