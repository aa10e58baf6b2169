// How far the probabilities of predictions are from the share of predictions that are right.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/config.h"
#include "evaluator/measures/measure.h"

namespace tidemill::evaluator {

// The expected calibration error (Guo et al., "On Calibration of Modern Neural Networks", 2017).
// Predictions are put by their probability into bins of equal width over [0, 1]; the last bin is
// closed. The differences between the mean probability and the share of right predictions are
// averaged over the bins, weighted by samples. The detail is {"bins": [{"from", "to", "samples",
// "confidence", "accuracy"}]}. The last two are null in an empty bin.
struct CalibrationError {
  static constexpr std::string_view kType = "calibration_error";
  static constexpr std::string_view kDoc =
      "The mean difference between the probability of a prediction and how often such a prediction "
      "is right.";
  static constexpr bool kOfClasses = true;
  static constexpr bool kLowerIsBetter = true;
  static constexpr Needs kNeeds = Needs::kProbabilities;
  static constexpr Pooling kPooling = Pooling::kMeanOverWindows;
  static constexpr ValueRange kRange = ValueRange::kFromZeroToOne;

  int bins = 15;

  void Fields(auto&& field) {
    field("bins", bins, "Bins of equal width over the probabilities.", {.min = 1, .max = 1000});
  }

  std::string Name() const { return "calibration_error"; }
  std::unique_ptr<Accumulator> NewAccumulator() const;

  friend bool operator==(const CalibrationError&, const CalibrationError&) = default;
};

}  // namespace tidemill::evaluator
