#include "transform/ops/audio/mel_filters.h"

#include <algorithm>
#include <cmath>

namespace tidemill::transform {
namespace {

constexpr double kHtkSlope = 2595;
constexpr double kHtkHertz = 700;
constexpr double kSlaneyStep = 200.0 / 3;  // Hertz for each mel in the linear part.
constexpr double kSlaneyKnee = 1000;       // Hertz.
const double kSlaneyLogStep = std::log(6.4) / 27;

}  // namespace

double MelOf(double hertz, MelScale scale) {
  if (scale == MelScale::kHtk) return kHtkSlope * std::log10(1 + hertz / kHtkHertz);
  if (hertz < kSlaneyKnee) return hertz / kSlaneyStep;
  return kSlaneyKnee / kSlaneyStep + std::log(hertz / kSlaneyKnee) / kSlaneyLogStep;
}

double HertzOf(double mel, MelScale scale) {
  if (scale == MelScale::kHtk) return kHtkHertz * (std::pow(10, mel / kHtkSlope) - 1);
  constexpr double kKneeMel = kSlaneyKnee / kSlaneyStep;
  if (mel < kKneeMel) return mel * kSlaneyStep;
  return kSlaneyKnee * std::exp(kSlaneyLogStep * (mel - kKneeMel));
}

std::vector<MelFilter> MelFilters(int64_t count, const MelBand& band, MelScale scale,
                                  int64_t fft_size, int64_t sample_rate) {
  const double lowest = MelOf(band.min_hertz, scale);
  const double highest = MelOf(band.max_hertz, scale);
  const auto corner = [&](int64_t i) {
    const double share = static_cast<double>(i) / static_cast<double>(count + 1);
    return HertzOf(lowest + (highest - lowest) * share, scale);
  };
  const double hertz = static_cast<double>(sample_rate) / static_cast<double>(fft_size);
  std::vector<MelFilter> filters(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const double left = corner(i);
    const double middle = corner(i + 1);
    const double right = corner(i + 2);
    const double height = scale == MelScale::kSlaney ? 2 / (right - left) : 1;
    MelFilter& filter = filters[static_cast<size_t>(i)];
    for (int64_t k = 0; k <= fft_size / 2; ++k) {
      const double at = static_cast<double>(k) * hertz;
      const double weight =
          std::min((at - left) / (middle - left), (right - at) / (right - middle));
      if (weight <= 0) continue;
      if (filter.weights.empty()) filter.first = k;
      filter.weights.push_back(static_cast<float>(weight * height));
    }
  }
  return filters;
}

}  // namespace tidemill::transform
