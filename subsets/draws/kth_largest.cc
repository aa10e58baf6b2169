#include "subsets/draws/kth_largest.h"

#include <bit>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace tidemill::subsets {
namespace {

// Unsigned numbers in the order of the floats that they stand for.
uint32_t KeyOf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value + 0.0F);  // -0 becomes 0.
  return (bits >> 31) != 0 ? ~bits : bits | 0x8000'0000U;
}

float ValueOf(uint32_t key) {
  return std::bit_cast<float>((key >> 31) != 0 ? key & 0x7FFF'FFFFU : ~key);
}

}  // namespace

void KthLargest::Count(std::span<const float> values, std::span<int64_t> counters) const {
  TIDEMILL_CHECK(passes_ < 2 && std::ssize(counters) == kNumCounters);
  for (const float value : values) {
    if (std::isnan(value)) continue;
    const uint32_t key = KeyOf(value);
    if (passes_ == 0) {
      ++counters[key >> 16];
    } else if ((key >> 16) == prefix_) {
      ++counters[key & 0xFFFFU];
    }
  }
}

void KthLargest::Narrow(std::span<const int64_t> counters) {
  TIDEMILL_CHECK(passes_ < 2 && std::ssize(counters) == kNumCounters);
  ++passes_;
  if (is_short_) return;
  for (int64_t bucket = kNumCounters - 1; bucket >= 0; --bucket) {
    const int64_t count = counters[static_cast<size_t>(bucket)];
    if (count >= left_) {
      prefix_ = (prefix_ << 16) | static_cast<uint32_t>(bucket);
      return;
    }
    left_ -= count;
  }
  is_short_ = true;
}

float KthLargest::value() const {
  TIDEMILL_CHECK(passes_ == 2);
  return is_short_ ? -std::numeric_limits<float>::infinity() : ValueOf(prefix_);
}

}  // namespace tidemill::subsets
