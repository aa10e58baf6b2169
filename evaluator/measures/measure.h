// The interface of measures: a value of samples, each of which may count several times or not at
// all.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::evaluator {

// The contributions of samples to a measure that is a plug-in: `width` finite numbers per sample,
// sample after sample.
struct Contributions {
  std::string_view measure = {};
  std::span<const double> numbers = {};
  size_t width = 1;
};

// The predictions of a model for some samples, and the truth. Spans of one kind have the same
// length: classes for classification, values for regression. Spans of the other kind are empty, and
// so are spans that no measure asked for.
struct Outcomes {
  std::span<const int64_t> predicted_classes = {};
  std::span<const int64_t> true_classes = {};
  std::span<const float> predicted_values = {};
  std::span<const float> true_values = {};

  // When Needs is kProbabilities: the probability of the true class, the probability of the
  // predicted class, and the number of classes to which the model gave a higher probability than to
  // the true class.
  std::span<const float> true_probabilities = {};
  std::span<const float> top_probabilities = {};
  std::span<const int32_t> true_places = {};

  // For blocks only, if available: the probability of each of `num_classes` classes, sample after
  // sample.
  std::span<const float> probabilities = {};
  int64_t num_classes = 0;

  // For measures that ask for contributions: one entry each. A measure that failed has none.
  std::span<const Contributions> contributions = {};

  // When Needs is kRanks: the dense ranks (ranks.h), below `num_ranks`, of the probabilities of
  // each class, one class after the other. With two classes, only the ranks of class 1.
  std::span<const int32_t> ranks = {};
  int64_t num_ranks = 0;

  // How often each sample counts. Empty when each counts once.
  std::span<const uint8_t> weights = {};

  size_t size() const { return true_classes.empty() ? true_values.size() : true_classes.size(); }
  int64_t Weight(size_t i) const { return weights.empty() ? 1 : weights[i]; }
  // Returns nullptr when there are none.
  const Contributions* ContributionsTo(std::string_view measure) const {
    for (const Contributions& own : contributions) {
      if (own.measure == measure) return &own;
    }
    return nullptr;
  }
};

// The inputs that a measure needs besides classes or values. A measure that needs ranks takes all
// samples at once. The others are sums, which an Accumulator takes block by block.
enum class Needs { kPredictions, kProbabilities, kRanks };

// How the values of several windows are combined. All but the last give the same value as measuring
// all samples of the windows at once.
enum class Pooling {
  kMeanOfSamples,    // The mean of the windows, weighted by samples.
  kRootOfMean,       // The root of the mean of the squares.
  kOfSums,           // Computed from the sums of the windows; see Accumulator::Sums().
  kMeanOverWindows,  // Weighted by samples, for areas under curves, whose pooled value is unknown.
};

// The numbers that values of a measure may be.
enum class ValueRange { kAny, kFromZero, kUpToOne, kFromZeroToOne };

// Computes a measure block by block. Thread-compatible.
class Accumulator {
 public:
  virtual ~Accumulator() = default;

  // Adds a block. Several blocks give the same result as one, up to the rounding of sums of
  // doubles.
  virtual void Add(const Outcomes& outcomes) = 0;

  // Returns std::nullopt when the measure is undefined, as without samples. Never returns NaN.
  virtual std::optional<double> Value() const = 0;

  // Returns for each of `outcomes`, which are all that were added, each once, what it does to the
  // value, as the differences from the value without it would show: in any unit, and from any zero,
  // which all samples share. Empty when it is not known.
  virtual std::vector<double> Influence(const Outcomes& /*outcomes*/) const { return {}; }

  // Returns details that one number cannot express, as JSON. It is empty for most measures.
  // `class_names` is empty when the classes have no names.
  virtual std::string Detail(std::span<const std::string> /*class_names*/) const { return {}; }

  // Returns as JSON the sums that the value is computed from, so that the value of several windows
  // together can be computed. It is empty when the value and the number of samples are enough, and
  // when the sums would be long.
  virtual std::string Sums() const { return {}; }

  // Adds the Sums() of another accumulator of the same measure. Returns false, and does nothing,
  // for any other text.
  virtual bool AddSums(std::string_view /*sums*/) { return false; }
};

// Values of the same measure for several choices or weights of samples, computed together.
// Thread-compatible.
class ValueSeries {
 public:
  virtual ~ValueSeries() = default;

  virtual void Add(const Outcomes& outcomes) = 0;

  // Returns a value for each Add(), in order. std::nullopt when the measure is undefined. Call it
  // once.
  virtual std::vector<std::optional<double>> Values() = 0;
};

}  // namespace tidemill::evaluator
