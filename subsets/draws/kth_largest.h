// Finds the k-th greatest of numbers that are in several places. It is exact. It takes two passes,
// which exchange 2^16 counters each and never a number.
//
//   KthLargest search(k);
//   twice {
//     for each part: search.Count(values, counters);   // Counters of parts are added up.
//     search.Narrow(counters);
//   }
//   search.value()
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"

namespace tidemill::subsets {

class KthLargest {
 public:
  static constexpr int64_t kNumCounters = 65'536;
  using Counters = std::vector<int64_t>;  // kNumCounters of them, zero at the beginning of a pass.

  // k must be at least 1.
  explicit KthLargest(int64_t k) : left_(k) { TIDEMILL_CHECK(k >= 1); }

  // Adds the values of one part to its counters. NaN is not counted; -0 counts as 0. Thread-safe.
  void Count(std::span<const float> values, std::span<int64_t> counters) const;
  // Ends a pass. `counters` are the sums of all counters.
  void Narrow(std::span<const int64_t> counters);

  // Returns the k-th greatest; minus infinity when there are fewer than k.
  float value() const;

 private:
  int64_t left_;
  uint32_t prefix_ = 0;
  int passes_ = 0;
  bool is_short_ = false;
};

}  // namespace tidemill::subsets
