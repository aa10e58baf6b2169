// Decides how many threads prepare batches, while they do.
#pragma once

#include "loader/path_work.h"

namespace tidemill::loader {

// Looks at a path about five times a second. Threads are added where they are the limit and
// processors are free, that is, where threads wait for storage or in an op; and only as many as the
// training can use. Each addition is a trial: one that brings nothing is taken back, and no other
// is made for a while. Threads that the training does not need are given up slowly, so that the
// number does not go up and down.
//
//   threads  2 ──► 4 ──► 8 ──► 16     (the rate grew less than 5 %) ──► 8
//
// The prediction is that of predicted_gains.h, "twice the threads". Thread-compatible.
class ThreadTuner {
 public:
  // Begins with `fewest` threads, and never has more than `most`. Where they are equal, nothing is
  // tuned.
  ThreadTuner(int fewest, int most) : fewest_(fewest), most_(most), threads_(fewest) {}

  // `wait_share` and `work` are of the time since the last look, `rows_per_second` is the rate at
  // which the training took rows in it. Returns the number of threads from now on.
  int Look(double wait_share, double rows_per_second, const PathWork& work);

  int threads() const { return threads_; }
  bool is_tuning() const { return fewest_ < most_; }

 private:
  void JudgeTrial(double rows_per_second);
  void Grow(double factor, double rows_per_second);
  void Shrink(double used);

  const int fewest_;
  const int most_;
  int threads_;
  // The trial that runs: the number before it, and the rate then. 0 without a trial.
  int threads_before_ = 0;
  double rate_before_ = 0;
  // Whether the next look is too early to judge the trial: threads have only begun to work.
  bool is_settling_ = false;
  // The looks until the next trial.
  int pause_ = 0;
  // The consecutive looks at which the training did not wait.
  int calm_looks_ = 0;
};

}  // namespace tidemill::loader
