// The mean negative logarithm of the probability of the true class.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

// A probability below the epsilon of float, 2^-23, is raised to it, as in scikit-learn.
struct LogLoss {
  static constexpr std::string_view kType = "log_loss";
  static constexpr std::string_view kDoc =
      "The mean negative logarithm of the probability that the model gave to the true class. A "
      "probability below 1.2e-7 (2^-23) counts as that much, so one sample costs 15.9 at most, "
      "however sure the model was of another class.";
  static constexpr bool kOfClasses = true;
  static constexpr bool kLowerIsBetter = true;
  static constexpr Needs kNeeds = Needs::kProbabilities;
  static constexpr Pooling kPooling = Pooling::kMeanOfSamples;
  static constexpr ValueRange kRange = ValueRange::kFromZero;

  void Fields(auto&&) {}

  std::string Name() const { return "log_loss"; }
  std::unique_ptr<Accumulator> NewAccumulator() const;

  friend bool operator==(const LogLoss&, const LogLoss&) = default;
};

}  // namespace tidemill::evaluator
