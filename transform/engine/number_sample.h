// A sample of numbers for quantiles, in bounded memory.
#pragma once

#include <cstdint>
#include <vector>

namespace tidemill::transform {

// Keeps every number up to a capacity, and from then on a uniform sample of that size. The
// algorithm is R of Vitter, "Random Sampling with a Reservoir" (1985). It draws by the place of the
// number, so that the sample is a function of the sequence alone. Thread-compatible.
class NumberSample {
 public:
  // `width` is the number of such samples for one column. Together they keep at most 2^24 numbers,
  // or 256 each if that is more.
  explicit NumberSample(int64_t width);

  void Add(double value);
  // The number of numbers added, not of those kept.
  int64_t count() const { return count_; }
  // Returns the numbers kept, ascending.
  std::vector<double> Sorted() const;

 private:
  const int64_t capacity_;
  int64_t count_ = 0;
  std::vector<double> kept_;
};

}  // namespace tidemill::transform
