// The mean negative logarithm of the probability of the true class.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

// A probability below the epsilon of float (1.2e-7) is raised to it, so that one sample costs at
// most 16.
struct LogLoss {
  static constexpr std::string_view kType = "log_loss";
  static constexpr std::string_view kDoc =
      "The mean negative logarithm of the probability that the model gave to the true class.";
  static constexpr bool kOfClasses = true;
  static constexpr bool kLowerIsBetter = true;
  static constexpr Needs kNeeds = Needs::kProbabilities;
  static constexpr Pooling kPooling = Pooling::kMeanOfSamples;

  void Fields(auto&&) {}

  std::string Name() const { return "log_loss"; }
  std::unique_ptr<Accumulator> NewAccumulator() const;

  friend bool operator==(const LogLoss&, const LogLoss&) = default;
};

}  // namespace tidemill::evaluator
