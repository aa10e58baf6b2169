// What every measure is: a sum over samples that can be taken in any grouping.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace tidemill::evaluator {

// What a model said of some samples, and what is true. The spans of one kind have the same length:
// classes for classification, values for regression; those of the other kind are empty.
struct Outcomes {
  std::span<const int64_t> predicted_classes = {};
  std::span<const int64_t> true_classes = {};
  std::span<const float> predicted_values = {};
  std::span<const float> true_values = {};
};

// Takes outcomes block by block. Splitting the samples into several accumulators and merging them
// gives what one accumulator of all gives (up to the rounding of sums of doubles).
// Thread-compatible.
class Accumulator {
 public:
  virtual ~Accumulator() = default;

  virtual void Add(const Outcomes& outcomes) = 0;

  // `other` must be of the same measure.
  virtual void Merge(const Accumulator& other) = 0;

  // std::nullopt where the measure is undefined, as without samples.
  virtual std::optional<double> Value() const = 0;
};

}  // namespace tidemill::evaluator
