// The discrete Fourier transform of several sequences at once.
#pragma once

#include <cstdint>
#include <vector>

namespace tidemill::transform {

// Transforms kLanes sequences of complex numbers in float32. Immutable, so thread-safe.
//
// Number i of sequence l is at i * kLanes + l, so that one register holds the same number of all of
// them. The algorithm is Stockham's, with the radixes 2, 3, 4 and 5.
class FourierTransform {
 public:
  static constexpr int64_t kLanes = 8;
  static constexpr int64_t kMaxSize = 65536;

  // Whether there is a transform of this size: 2 to kMaxSize, with no prime factor above 5.
  static bool Takes(int64_t size);

  // `size` must be one that Takes() accepts.
  explicit FourierTransform(int64_t size);

  int64_t size() const { return size_; }

  // Replaces the sequences by their transforms: the sum of x[i] * exp(-2 pi j i k / size), for
  // every k. All four are memory for size() * kLanes numbers; the last two may hold anything.
  void Run(float* real, float* imaginary, float* spare_real, float* spare_imaginary) const;

 private:
  struct Pass {
    int64_t radix = 0;
    // exp(-2 pi j q r / n), for the q-th of n / radix groups and r from 1 below the radix.
    std::vector<float> cosines = {};
    std::vector<float> sines = {};
  };

  const int64_t size_;
  std::vector<Pass> passes_;
};

}  // namespace tidemill::transform
