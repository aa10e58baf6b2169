#include "transform/engine/number_sample.h"

#include <algorithm>

#include "base/numbers/random.h"

namespace tidemill::transform {
namespace {

constexpr int64_t kMaxKept = int64_t{1} << 17;
constexpr int64_t kMinKept = 256;
constexpr int64_t kMaxKeptOfRow = int64_t{1} << 24;

}  // namespace

NumberSample::NumberSample(int64_t width)
    : capacity_(std::clamp(kMaxKeptOfRow / width, kMinKept, kMaxKept)) {}

void NumberSample::Add(double value) {
  const int64_t place = count_++;
  if (place < capacity_) {
    kept_.push_back(value);
    return;
  }
  constexpr RandomKey kKey{.purpose = "number sample"};
  const uint64_t drawn = RandomBits(kKey, place) % static_cast<uint64_t>(count_);
  if (drawn < static_cast<uint64_t>(capacity_)) kept_[drawn] = value;
}

std::vector<double> NumberSample::Sorted() const {
  std::vector<double> sorted = kept_;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace tidemill::transform
