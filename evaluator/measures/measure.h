// What every measure is: a value of samples that may count several times, or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemill::evaluator {

// What a model said of some samples, and what is true. The spans of one kind have the same length:
// classes for classification, values for regression; those of the other kind are empty, as are
// those that no measure asked for.
struct Outcomes {
  std::span<const int64_t> predicted_classes = {};
  std::span<const int64_t> true_classes = {};
  std::span<const float> predicted_values = {};
  std::span<const float> true_values = {};

  // Where Needs is kProbabilities: that of the true class, that of the predicted one, and the
  // number of classes that the model held for more probable than the true one.
  std::span<const float> true_probabilities = {};
  std::span<const float> top_probabilities = {};
  std::span<const int32_t> true_places = {};

  // Where Needs is kRanks: the dense ranks (ranks.h), below `num_ranks`, of each class's
  // probabilities, one class behind the other; of two classes only those of class 1.
  std::span<const int32_t> ranks = {};
  int64_t num_ranks = 0;

  // How often each sample counts; empty when each does once.
  std::span<const uint8_t> weights = {};

  size_t size() const { return true_classes.empty() ? true_values.size() : true_classes.size(); }
  int64_t Weight(size_t i) const { return weights.empty() ? 1 : weights[i]; }
};

// What a measure takes besides classes or values. One that takes ranks needs all samples at once;
// the others are sums, which an Accumulator takes block by block.
enum class Needs { kPredictions, kProbabilities, kRanks };

// How the values of several windows become one. All but the last give what measuring all samples of
// the windows at once gives.
enum class Pooling {
  kMeanOfSamples,    // The mean of the windows, weighted by samples.
  kRootOfMean,       // The root of the mean of the squares.
  kOfSums,           // Made of what the windows' values are made of, see Accumulator::Sums().
  kMeanOverWindows,  // Weighted by samples, where no more can be had: areas under curves.
};

// Thread-compatible.
class Accumulator {
 public:
  virtual ~Accumulator() = default;

  // Adding samples in several blocks gives what adding all at once gives, up to the rounding of
  // sums of doubles.
  virtual void Add(const Outcomes& outcomes) = 0;

  // std::nullopt where the measure is undefined, as without samples; never NaN.
  virtual std::optional<double> Value() const = 0;

  // What one number cannot say, as JSON; empty for most. `class_names` by class; empty when the
  // classes have no names.
  virtual std::string Detail(std::span<const std::string> /*class_names*/) const { return {}; }

  // What it was made of, as JSON, so that the value of several windows together can be had; empty
  // where value and number of samples say enough, and where it would be long.
  virtual std::string Sums() const { return {}; }

  // Adds what Sums() of another one of the same measure gave; false, without effect, for other
  // text.
  virtual bool AddSums(std::string_view /*sums*/) { return false; }
};

}  // namespace tidemill::evaluator
