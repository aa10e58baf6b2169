// Which classes were taken for which.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

// Has no value, only a detail: {"classes": ["DOWN", "UP"], "counts": [[5, 1], [2, 8]]}, where a row
// is a true class and a column a predicted one. The classes are all that have names, or else those
// that occur. Absent when there are more than 100.
struct ConfusionMatrix {
  static constexpr std::string_view kType = "confusion_matrix";
  static constexpr std::string_view kDoc =
      "How many samples of each class were predicted as each class. Up to 100 classes.";
  static constexpr bool kOfClasses = true;
  // A table, no number.
  static constexpr bool kHasValue = false;
  static constexpr Needs kNeeds = Needs::kPredictions;
  static constexpr Pooling kPooling = Pooling::kMeanOfSamples;  // Of no values.

  void Fields(auto&&) {}

  std::string Name() const { return "confusion_matrix"; }
  std::unique_ptr<Accumulator> NewAccumulator() const;

  friend bool operator==(const ConfusionMatrix&, const ConfusionMatrix&) = default;
};

}  // namespace tidemill::evaluator
