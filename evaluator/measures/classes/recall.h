// The recall of several classes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "evaluator/measures/classes/class_counts.h"
#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {

// A class that is predicted but never true has 0.
struct Recall {
  static constexpr std::string_view kType = "recall";
  static constexpr std::string_view kDoc =
      "The share of a class's samples that are predicted, averaged over the classes that occur.";
  static constexpr bool kOfClasses = true;
  static constexpr bool kLowerIsBetter = false;
  static constexpr Needs kNeeds = Needs::kPredictions;
  static constexpr Pooling kPooling = Pooling::kOfSums;
  static constexpr ValueRange kRange = ValueRange::kFromZeroToOne;

  ClassAverage average = ClassAverage::kMacro;

  void Fields(auto&& field) { field("average", average, kAverageDoc); }

  // A name such as "recall_macro".
  std::string Name() const { return NameWith(kType, average); }
  std::unique_ptr<Accumulator> NewAccumulator() const;

  friend bool operator==(const Recall&, const Recall&) = default;
};

template <>
class MeasureOf<Recall> final : public SummedMeasure<Recall> {
 public:
  bool TakeName(std::string_view name) override {
    return TakeAverage(name, Recall::kType, spec_.average);
  }
};

}  // namespace tidemill::evaluator
