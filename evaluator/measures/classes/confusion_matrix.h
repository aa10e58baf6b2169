// Which classes were predicted for which true classes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {

// It has no value, only a detail: {"classes": ["DOWN", "UP"], "counts": [[5, 1], [2, 8]]}. A row is
// a true class, a column a predicted one. The classes are all that have names, or otherwise those
// that occur. It is absent for more than 100 classes.
struct ConfusionMatrix {
  static constexpr std::string_view kType = "confusion_matrix";
  static constexpr std::string_view kDoc =
      "How many samples of each class were predicted as each class. Up to 100 classes.";
  static constexpr bool kOfClasses = true;
  static constexpr bool kLowerIsBetter = false;  // Unused: there are no values.
  static constexpr Needs kNeeds = Needs::kPredictions;
  static constexpr Pooling kPooling = Pooling::kMeanOfSamples;  // Unused, too.
  static constexpr ValueRange kRange = ValueRange::kAny;        // Unused, too.

  void Fields(auto&&) {}

  std::string Name() const { return "confusion_matrix"; }
  std::unique_ptr<Accumulator> NewAccumulator() const;

  friend bool operator==(const ConfusionMatrix&, const ConfusionMatrix&) = default;
};

template <>
class MeasureOf<ConfusionMatrix> final : public SummedMeasure<ConfusionMatrix> {
 public:
  // It is a table, not a number.
  bool HasValue() const override { return false; }
};

}  // namespace tidemill::evaluator
