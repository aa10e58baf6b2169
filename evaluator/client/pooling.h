// One value of the values of several windows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

// Of one window.
struct WindowValue {
  std::optional<double> value = std::nullopt;
  int64_t num_samples = 0;
  // As in Evaluation; views.
  std::string_view sums = {};
};

struct PooledValue {
  double value = 0;
  // Of the windows that have a part in it.
  int64_t num_samples = 0;
  Pooling how = Pooling::kMeanOfSamples;
};

// `measure` is a name as in results, and says how; one that nobody knows is taken for a mean over
// samples. Where a window lacks the sums that a value comes of, all are taken as means over
// windows. std::nullopt when nothing is defined.
std::optional<PooledValue> Pool(std::string_view measure, std::span<const WindowValue> windows);

// A window's value with the bounds of its interval.
struct WindowInterval {
  double value = 0;
  double low = 0;
  double high = 0;
  int64_t num_samples = 0;
};

// The bounds of a 95 % interval of what Pool() made, from those of all its windows, which must have
// independent samples: the distances of their bounds, each weighted, are added as squares (MOVER:
// Zou and Donner, "Construction of confidence limits about effect measures", 2008); of a root of
// means, those of the means. std::nullopt for what is made of sums, of which those of the windows
// say nothing.
std::optional<std::pair<double, double>> PooledInterval(const PooledValue& pooled,
                                                        std::span<const WindowInterval> windows);

// "per sample", "pooled" or "mean over windows".
std::string_view Describe(Pooling how);

}  // namespace tidemill::evaluator
