#include "evaluator/measures/roc_auc.h"

#include <span>

#include "evaluator/measures/ranks.h"

namespace tidemill::evaluator {
namespace {

// The share of pairs of a positive and a negative in which the positive ranks higher.
std::optional<double> AreaUnder(std::span<const RankCount> ranks) {
  double positives = 0;
  double negatives = 0;
  double pairs = 0;
  for (const RankCount& rank : ranks) {
    const auto higher = static_cast<double>(rank.positives);
    const auto lower = static_cast<double>(rank.negatives);
    pairs += higher * (negatives + lower / 2);
    positives += higher;
    negatives += lower;
  }
  if (positives == 0 || negatives == 0) return std::nullopt;
  return pairs / (positives * negatives);
}

}  // namespace

std::optional<double> RocAuc::ValueOf(const Outcomes& outcomes) const {
  return MeanOverClasses(outcomes, &AreaUnder);
}

}  // namespace tidemill::evaluator
