// The F1 score of several classes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "evaluator/measures/class_counts.h"

namespace tidemill::evaluator {

// For one class, F1 = 2 TP / (2 TP + FP + FN). A class without true positives has 0.
struct F1 {
  static constexpr std::string_view kType = "f1";
  static constexpr std::string_view kDoc =
      "The harmonic mean of precision and recall, averaged over the classes that occur.";
  static constexpr bool kOfClasses = true;
  static constexpr Needs kNeeds = Needs::kPredictions;
  static constexpr Pooling kPooling = Pooling::kOfSums;

  ClassAverage average = ClassAverage::kMacro;

  void Fields(auto&& field) { field("average", average, kAverageDoc); }

  // A name such as "f1_macro".
  std::string Name() const { return NameWith(kType, average); }
  bool TakeName(std::string_view name) { return TakeAverage(name, kType, average); }
  std::unique_ptr<Accumulator> NewAccumulator() const;

  friend bool operator==(const F1&, const F1&) = default;
};

}  // namespace tidemill::evaluator
