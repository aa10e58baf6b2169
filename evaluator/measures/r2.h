// The coefficient of determination.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

// 1 - (sum of squared errors) / (sum of squared differences from the mean of the true values): 1
// for a perfect model, 0 for one that always says the mean, negative for a worse one. Undefined
// where all true values are the same.
struct RSquared {
  static constexpr std::string_view kType = "r2";
  static constexpr std::string_view kDoc =
      "The coefficient of determination: 1 is perfect, and 0 is no better than the mean of the "
      "labels.";
  static constexpr bool kOfClasses = false;
  static constexpr Needs kNeeds = Needs::kPredictions;
  static constexpr Pooling kPooling = Pooling::kOfSums;

  void Fields(auto&&) {}

  std::string Name() const { return "r2"; }
  std::unique_ptr<Accumulator> NewAccumulator() const;

  friend bool operator==(const RSquared&, const RSquared&) = default;
};

}  // namespace tidemill::evaluator
