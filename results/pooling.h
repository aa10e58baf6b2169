// Combines the values of several windows into one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "evaluator/measures/measure.h"
#include "results/rows.h"

namespace tidemill::evaluator {
class Measure;
}  // namespace tidemill::evaluator

namespace tidemill::results {

using evaluator::Measure;
using evaluator::Pooling;

struct PooledValue {
  double value = 0;
  // The number of samples in the windows that contribute.
  int64_t num_samples = 0;
  Pooling how = Pooling::kMeanOfSamples;
};

// Combines the values of `rows`. `measure` is a name as in the table, and decides how. An unknown
// measure is treated as a mean over samples. When a row lacks the sums that the value is computed
// from, the result is the mean over windows. std::nullopt when no row has a value.
//
// Only the plug-in can compute the value of a plug-in's sums: `of_pipeline` is the measure of that
// name in the pipeline, and was opened (Measure::Open()). It may be nullptr for other measures.
// Without it, or when the plug-in fails, several windows have no pooled value.
std::optional<PooledValue> Pool(std::string_view measure, std::span<const Row* const> rows,
                                const Measure* of_pipeline = nullptr);

// Returns the bounds of a 95 % interval for a result of Pool(). `rows` are all that it pooled, each
// with its value and its interval. Their windows must have independent samples. The squared,
// weighted distances of the bounds are added (MOVER: Zou and Donner, "Construction of confidence
// limits about effect measures", 2008). For a root of means, this is done for the means. A value
// computed from sums has the interval of the mean of the windows, around itself: to the first order
// a sample moves both alike where the windows resemble each other. std::nullopt where they do not:
// where the mean is farther from the value than half of the interval on that side.
std::optional<std::pair<double, double>> PooledInterval(const PooledValue& pooled,
                                                        std::span<const Row* const> rows);

// Returns "per sample", "pooled" or "mean over windows".
std::string_view Describe(Pooling how);

}  // namespace tidemill::results
