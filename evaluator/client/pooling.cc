#include "evaluator/client/pooling.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "evaluator/measures/contributed_sums.h"
#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {
namespace {

// std::nullopt when a window with samples has no sums.
std::optional<PooledValue> PoolSums(Accumulator& sums, std::span<const WindowValue> windows) {
  PooledValue pooled{.how = Pooling::kOfSums};
  for (const WindowValue& window : windows) {
    if (window.num_samples == 0) continue;
    if (!sums.AddSums(window.sums)) return std::nullopt;
    pooled.num_samples += window.num_samples;
  }
  const std::optional<double> value = sums.Value();
  if (!value) return std::nullopt;
  pooled.value = *value;
  return pooled;
}

bool IsOfPlugin(const WindowValue& window) { return AreContributedSums(window.sums); }

std::optional<PooledValue> MeanOf(std::span<const WindowValue> windows, bool of_squares) {
  PooledValue pooled{.how = of_squares ? Pooling::kRootOfMean : Pooling::kMeanOfSamples};
  double sum = 0;
  for (const WindowValue& window : windows) {
    if (!window.value || !std::isfinite(*window.value)) continue;
    const double value = of_squares ? *window.value * *window.value : *window.value;
    sum += value * static_cast<double>(window.num_samples);
    pooled.num_samples += window.num_samples;
  }
  if (pooled.num_samples == 0) return std::nullopt;
  pooled.value = sum / static_cast<double>(pooled.num_samples);
  if (of_squares) pooled.value = std::sqrt(pooled.value);
  return pooled;
}

}  // namespace

std::optional<PooledValue> Pool(std::string_view measure, std::span<const WindowValue> windows,
                                const Measure* of_pipeline) {
  const auto is_part = [](const WindowValue& window) {
    return window.value.has_value() || !window.sums.empty();
  };
  const bool is_one = std::count_if(windows.begin(), windows.end(), is_part) == 1;
  const std::unique_ptr<Measure> named = of_pipeline == nullptr ? MeasureNamed(measure) : nullptr;
  const Measure* const known = of_pipeline == nullptr ? named.get() : of_pipeline;
  const Pooling how = known == nullptr ? Pooling::kMeanOfSamples : known->Pooling();
  if (how == Pooling::kOfSums && !is_one) {
    if (const auto pooled = PoolSums(*known->NewAccumulator(), windows)) return pooled;
  }
  if (!is_one && std::ranges::any_of(windows, IsOfPlugin)) return std::nullopt;
  auto mean = MeanOf(windows, how == Pooling::kRootOfMean);
  const bool is_exact = how == Pooling::kMeanOfSamples || how == Pooling::kRootOfMean;
  if (mean && !is_one && !is_exact) mean->how = Pooling::kMeanOverWindows;
  return mean;
}

std::optional<std::pair<double, double>> PooledInterval(const PooledValue& pooled,
                                                        std::span<const WindowInterval> windows) {
  const bool of_squares = pooled.how == Pooling::kRootOfMean;
  const auto scaled = [&](double value) { return of_squares ? value * value : value; };
  double mean = 0;
  double below = 0;
  double above = 0;
  for (const WindowInterval& window : windows) {
    const double weight =
        static_cast<double>(window.num_samples) / static_cast<double>(pooled.num_samples);
    mean += weight * window.value;
    below += std::pow(weight * (scaled(window.value) - scaled(window.low)), 2);
    above += std::pow(weight * (scaled(window.high) - scaled(window.value)), 2);
  }
  if (pooled.how == Pooling::kOfSums) {
    const double moved = mean - pooled.value;
    if (std::abs(moved) > std::sqrt(moved > 0 ? above : below) / 2) return std::nullopt;
  }
  const double low = scaled(pooled.value) - std::sqrt(below);
  const double high = scaled(pooled.value) + std::sqrt(above);
  if (of_squares) return std::pair(std::sqrt(std::max(0.0, low)), std::sqrt(high));
  return std::pair(low, high);
}

std::string_view Describe(Pooling how) {
  if (how == Pooling::kMeanOverWindows) return "mean over windows";
  return how == Pooling::kMeanOfSamples ? "per sample" : "pooled";
}

}  // namespace tidemill::evaluator
