// How many splits a worker leases ahead.
#pragma once

#include <chrono>

namespace tidemill::preprocess {

// Each thread has one split in progress and one ready for it. When splits are quick, it has as many
// as take 20 ms, so that it does not wait for the dispatcher's answer, which takes as long as
// several of them. The worker asks again when half of these are done, not at each one that ends: an
// answer costs the dispatcher a transaction. Thread-compatible.
class LeasePace {
 public:
  using Duration = std::chrono::steady_clock::duration;

  explicit LeasePace(int num_threads) : num_threads_(num_threads) {}

  // Notes the time that a thread took for a split.
  void Note(Duration took);

  // Returns how many splits to ask for when `num_making` are leased and not done; 0 when it is too
  // early to ask.
  int Wanted(int num_making) const;

 private:
  const int num_threads_;
  Duration split_time_ = Duration::zero();  // The mean of the last ones; 0 before the first.
};

}  // namespace tidemill::preprocess
