// The mean absolute error.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

struct MeanAbsoluteError {
  static constexpr std::string_view kType = "mae";
  static constexpr std::string_view kDoc = "The mean absolute error.";
  static constexpr bool kOfClasses = false;
  static constexpr bool kLowerIsBetter = true;
  static constexpr Needs kNeeds = Needs::kPredictions;
  static constexpr Pooling kPooling = Pooling::kMeanOfSamples;
  static constexpr ValueRange kRange = ValueRange::kFromZero;

  void Fields(auto&&) {}

  std::string Name() const { return "mae"; }
  std::unique_ptr<Accumulator> NewAccumulator() const;

  friend bool operator==(const MeanAbsoluteError&, const MeanAbsoluteError&) = default;
};

}  // namespace tidemill::evaluator
