// One value of the values of several windows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tidemill::evaluator {

// Of one window.
struct WindowValue {
  std::optional<double> value = std::nullopt;
  int64_t num_samples = 0;
  // As in Evaluation; views.
  std::string_view sums = {};
};

// All but the last give what measuring all samples of the windows at once gives.
enum class Pooling {
  kMeanOfSamples,    // The mean of the windows, weighted by samples.
  kRootOfMean,       // The root of the mean of the squares.
  kOfSums,           // Made of what the windows' values are made of.
  kMeanOverWindows,  // Weighted by samples, where no more can be had: areas under curves.
};

struct PooledValue {
  double value = 0;
  // Of the windows that have a part in it.
  int64_t num_samples = 0;
  Pooling how = Pooling::kMeanOfSamples;
};

// `measure` is a name as in results. Means over samples (accuracy, log_loss, mae ...) are weighted
// by samples, rmse is the root of the mean square, and r2, f1, precision and recall come of sums;
// where a window lacks those, all are taken as means over windows. std::nullopt when nothing is
// defined.
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
