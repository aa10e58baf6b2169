#include "results/pooling.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "evaluator/measures/contributed_sums.h"
#include "evaluator/measures/measures.h"

namespace tidemill::results {
namespace {

// std::nullopt when a window with samples has no sums.
std::optional<PooledValue> PoolSums(evaluator::Accumulator& sums,
                                    std::span<const Row* const> rows) {
  PooledValue pooled{.how = Pooling::kOfSums};
  for (const Row* row : rows) {
    if (row->num_samples() == 0) continue;
    if (!sums.AddSums(row->sums())) return std::nullopt;
    pooled.num_samples += row->num_samples();
  }
  const std::optional<double> value = sums.Value();
  if (!value) return std::nullopt;
  pooled.value = *value;
  return pooled;
}

bool IsOfPlugin(const Row* row) { return evaluator::AreContributedSums(row->sums()); }

std::optional<PooledValue> MeanOf(std::span<const Row* const> rows, bool of_squares) {
  PooledValue pooled{.how = of_squares ? Pooling::kRootOfMean : Pooling::kMeanOfSamples};
  double sum = 0;
  for (const Row* row : rows) {
    if (!row->has_value() || !std::isfinite(row->value())) continue;
    const double value = of_squares ? row->value() * row->value() : row->value();
    sum += value * static_cast<double>(row->num_samples());
    pooled.num_samples += row->num_samples();
  }
  if (pooled.num_samples == 0) return std::nullopt;
  pooled.value = sum / static_cast<double>(pooled.num_samples);
  if (of_squares) pooled.value = std::sqrt(pooled.value);
  return pooled;
}

}  // namespace

std::optional<PooledValue> Pool(std::string_view measure, std::span<const Row* const> rows,
                                const Measure* of_pipeline) {
  const bool is_one =
      std::ranges::count_if(rows, [](const Row* row) { return HasValueOrSums(*row); }) == 1;
  const std::unique_ptr<Measure> named =
      of_pipeline == nullptr ? evaluator::MeasureNamed(measure) : nullptr;
  const Measure* const known = of_pipeline == nullptr ? named.get() : of_pipeline;
  const Pooling how = known == nullptr ? Pooling::kMeanOfSamples : known->Pooling();
  if (how == Pooling::kOfSums && !is_one) {
    if (const auto pooled = PoolSums(*known->NewAccumulator(), rows)) return pooled;
  }
  if (!is_one && std::ranges::any_of(rows, IsOfPlugin)) return std::nullopt;
  auto mean = MeanOf(rows, how == Pooling::kRootOfMean);
  const bool is_exact = how == Pooling::kMeanOfSamples || how == Pooling::kRootOfMean;
  if (mean && !is_one && !is_exact) mean->how = Pooling::kMeanOverWindows;
  return mean;
}

std::optional<std::pair<double, double>> PooledInterval(const PooledValue& pooled,
                                                        std::span<const Row* const> rows) {
  const bool of_squares = pooled.how == Pooling::kRootOfMean;
  const auto scaled = [&](double value) { return of_squares ? value * value : value; };
  double mean = 0;
  double below = 0;
  double above = 0;
  for (const Row* row : rows) {
    const double weight =
        static_cast<double>(row->num_samples()) / static_cast<double>(pooled.num_samples);
    mean += weight * row->value();
    below += std::pow(weight * (scaled(row->value()) - scaled(row->low())), 2);
    above += std::pow(weight * (scaled(row->high()) - scaled(row->value())), 2);
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

}  // namespace tidemill::results
