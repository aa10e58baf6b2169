// The square root of the mean squared error.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

struct RootMeanSquaredError {
  static constexpr std::string_view kType = "rmse";
  static constexpr std::string_view kDoc = "The square root of the mean squared error.";
  static constexpr bool kOfClasses = false;
  static constexpr bool kLowerIsBetter = true;
  static constexpr Needs kNeeds = Needs::kPredictions;
  static constexpr Pooling kPooling = Pooling::kRootOfMean;
  static constexpr ValueRange kRange = ValueRange::kFromZero;

  void Fields(auto&&) {}

  std::string Name() const { return "rmse"; }
  std::unique_ptr<Accumulator> NewAccumulator() const;

  friend bool operator==(const RootMeanSquaredError&, const RootMeanSquaredError&) = default;
};

}  // namespace tidemill::evaluator
