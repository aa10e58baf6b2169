// The area under the step function of precision over recall.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {

// The sum over thresholds of (recall - previous recall) x precision, without interpolation, as
// scikit-learn defines it. With two classes, it is the area of class 1. With more, it is the mean
// over each class against the rest. A class that no sample has is left out.
struct AveragePrecision {
  static constexpr std::string_view kType = "average_precision";
  static constexpr std::string_view kDoc =
      "The mean of the precisions at each sample of the class, from the most probable sample on. "
      "With more than two classes, the mean over all classes that occur.";
  static constexpr bool kOfClasses = true;
  static constexpr bool kLowerIsBetter = false;
  static constexpr Needs kNeeds = Needs::kRanks;
  static constexpr Pooling kPooling = Pooling::kMeanOverWindows;
  static constexpr ValueRange kRange = ValueRange::kFromZeroToOne;

  void Fields(auto&&) {}

  std::string Name() const { return "average_precision"; }
  // `outcomes` must hold all samples.
  std::optional<double> ValueOf(const Outcomes& outcomes) const;
  std::vector<double> Influence(const Outcomes& outcomes) const;

  friend bool operator==(const AveragePrecision&, const AveragePrecision&) = default;
};

template <>
class MeasureOf<AveragePrecision> final : public RankedMeasure<AveragePrecision> {};

}  // namespace tidemill::evaluator
