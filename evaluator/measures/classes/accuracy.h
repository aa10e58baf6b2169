// The share of samples whose class was predicted.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

struct Accuracy {
  static constexpr std::string_view kType = "accuracy";
  static constexpr std::string_view kDoc = "The share of samples whose class was predicted.";
  static constexpr bool kOfClasses = true;
  static constexpr bool kLowerIsBetter = false;
  static constexpr Needs kNeeds = Needs::kPredictions;
  static constexpr Pooling kPooling = Pooling::kMeanOfSamples;
  static constexpr ValueRange kRange = ValueRange::kFromZeroToOne;

  void Fields(auto&&) {}

  std::string Name() const { return "accuracy"; }
  std::unique_ptr<Accumulator> NewAccumulator() const;

  friend bool operator==(const Accuracy&, const Accuracy&) = default;
};

}  // namespace tidemill::evaluator
