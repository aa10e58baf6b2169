#include "subsets/draws/bottom_k.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tidemill::subsets {

bool operator<(const RankedRow& a, const RankedRow& b) {
  if (a.rank != b.rank) return a.rank < b.rank;
  if (a.bits != b.bits) return a.bits < b.bits;
  return a.id < b.id;
}

void BottomK::Cut() {
  const auto k = static_cast<size_t>(k_);
  if (held_.size() <= k) return;
  if (k == 0) {
    held_.clear();
    return;
  }
  const auto last = held_.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(held_.begin(), last, held_.end());
  held_.resize(k);
  bound_ = held_.back();
  is_bounded_ = true;
}

std::vector<RankedRow> BottomK::Take() {
  Cut();
  std::sort(held_.begin(), held_.end());
  is_bounded_ = false;
  return std::move(held_);
}

double DecayedRank(int64_t time, int64_t half_life, uint64_t bits) {
  // -log U of a U half a step away from both ends of (0, 1), so that its logarithm is finite.
  constexpr uint64_t kSteps = uint64_t{1} << 53;
  const uint64_t step = bits >> 11;
  const double from_zero = (static_cast<double>(step) + 0.5) * 0x1.0p-53;
  const double from_one = (static_cast<double>(kSteps - 1 - step) + 0.5) * 0x1.0p-53;
  const double exponential = step < kSteps / 2 ? -std::log(from_zero) : -std::log1p(-from_one);
  const double age = static_cast<double>(time) / static_cast<double>(half_life);
  return std::log(exponential) - std::log(2.0) * age;
}

}  // namespace tidemill::subsets
