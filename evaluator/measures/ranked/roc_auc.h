// The area under the receiver operating characteristic.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {

// Ties count half. With two classes, it is the area of class 1. With more, it is the mean over each
// class against the rest. A class that no sample or every sample has is left out.
struct RocAuc {
  static constexpr std::string_view kType = "roc_auc";
  static constexpr std::string_view kDoc =
      "The chance that a sample of the class gets a higher probability of the class than a sample "
      "of another class. With more than two classes, the mean over all classes that occur.";
  static constexpr bool kOfClasses = true;
  static constexpr bool kLowerIsBetter = false;
  static constexpr Needs kNeeds = Needs::kRanks;
  static constexpr Pooling kPooling = Pooling::kMeanOverWindows;
  static constexpr ValueRange kRange = ValueRange::kFromZeroToOne;

  void Fields(auto&&) {}

  std::string Name() const { return "roc_auc"; }
  // `outcomes` must hold all samples.
  std::optional<double> ValueOf(const Outcomes& outcomes) const;
  std::vector<double> Influence(const Outcomes& outcomes) const;

  friend bool operator==(const RocAuc&, const RocAuc&) = default;
};

template <>
class MeasureOf<RocAuc> final : public RankedMeasure<RocAuc> {};

}  // namespace tidemill::evaluator
