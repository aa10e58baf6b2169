// The measures of real labels: means of errors, and the share of the variance that is explained.
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

// 1 - (sum of squared errors) / (sum of squared differences from the mean of the true values). It
// is 1 for a perfect model, 0 for a model that always predicts the mean, and negative for a worse
// one. It is undefined when all true values are equal.
struct RSquared {
  static constexpr std::string_view kType = "r2";
  static constexpr std::string_view kDoc =
      "The coefficient of determination: 1 is perfect, and 0 is no better than the mean of the "
      "labels.";
  static constexpr bool kOfClasses = false;
  static constexpr bool kLowerIsBetter = false;
  static constexpr Needs kNeeds = Needs::kPredictions;
  static constexpr Pooling kPooling = Pooling::kOfSums;
  static constexpr ValueRange kRange = ValueRange::kUpToOne;

  void Fields(auto&&) {}

  std::string Name() const { return "r2"; }
  std::unique_ptr<Accumulator> NewAccumulator() const;

  friend bool operator==(const RSquared&, const RSquared&) = default;
};

}  // namespace tidemill::evaluator
