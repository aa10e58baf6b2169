// The F1 score of several classes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "evaluator/measures/classes/class_counts.h"
#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {

// For one class, F1 = 2 TP / (2 TP + FP + FN). A class without true positives has 0.
struct F1 {
  static constexpr std::string_view kType = "f1";
  static constexpr std::string_view kDoc =
      "The harmonic mean of precision and recall, averaged over the classes that occur.";
  static constexpr bool kOfClasses = true;
  static constexpr bool kLowerIsBetter = false;
  static constexpr Needs kNeeds = Needs::kPredictions;
  static constexpr Pooling kPooling = Pooling::kOfSums;
  static constexpr ValueRange kRange = ValueRange::kFromZeroToOne;

  ClassAverage average = ClassAverage::kMacro;

  void Fields(auto&& field) { field("average", average, kAverageDoc); }

  // A name such as "f1_macro".
  std::string Name() const { return NameWith(kType, average); }
  std::unique_ptr<Accumulator> NewAccumulator() const;

  friend bool operator==(const F1&, const F1&) = default;
};

template <>
class MeasureOf<F1> final : public SummedMeasure<F1> {
 public:
  bool TakeName(std::string_view name) override {
    return TakeAverage(name, F1::kType, spec_.average);
  }
};

}  // namespace tidemill::evaluator
