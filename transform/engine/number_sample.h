// Numbers to take quantiles of, in bounded memory.
#pragma once

#include <cstdint>
#include <vector>

namespace tidemill::transform {

// Keeps every number up to a capacity, and from then on a uniform sample of that size: algorithm R
// of Vitter, "Random Sampling with a Reservoir" (1985), drawing by the number's place, so that what
// is kept is a function of the sequence alone. Thread-compatible.
class NumberSample {
 public:
  // `width`: how many such samples there are for a row. Together they keep at most 2^24 numbers, or
  // 256 each.
  explicit NumberSample(int64_t width);

  void Add(double value);
  // Numbers added; not those kept.
  int64_t count() const { return count_; }
  // Those kept, ascending.
  std::vector<double> Sorted() const;

 private:
  const int64_t capacity_;
  int64_t count_ = 0;
  std::vector<double> kept_;
};

}  // namespace tidemill::transform
