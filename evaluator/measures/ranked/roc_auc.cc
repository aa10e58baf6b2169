#include "evaluator/measures/ranked/roc_auc.h"

#include <span>
#include <vector>

#include "evaluator/measures/ranked/ranks.h"

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

// A positive is worth the share of the negatives below it, a negative that of the positives above
// it: the placements of DeLong et al., "Comparing the Areas under Two or More Correlated Receiver
// Operating Characteristic Curves" (Biometrics 44, 1988).
std::vector<RankInfluence> Placements(std::span<const RankCount> ranks) {
  const std::optional<double> area = AreaUnder(ranks);
  if (!area) return {};
  double positives = 0;
  double negatives = 0;
  for (const RankCount& rank : ranks) {
    positives += static_cast<double>(rank.positives);
    negatives += static_cast<double>(rank.negatives);
  }
  double positives_above = positives;
  double negatives_below = 0;
  std::vector<RankInfluence> influence;
  for (const RankCount& rank : ranks) {
    const auto higher = static_cast<double>(rank.positives);
    const auto lower = static_cast<double>(rank.negatives);
    positives_above -= higher;
    influence.push_back(
        {.of_positive = ((negatives_below + lower / 2) / negatives - *area) / positives,
         .of_negative = ((positives_above + higher / 2) / positives - *area) / negatives});
    negatives_below += lower;
  }
  return influence;
}

}  // namespace

std::optional<double> RocAuc::ValueOf(const Outcomes& outcomes) const {
  return MeanOverClasses(outcomes, &AreaUnder);
}

std::vector<double> RocAuc::Influence(const Outcomes& outcomes) const {
  return InfluenceOverClasses(outcomes, &Placements);
}

TIDEMILL_PART(Measure, MeasureOf, RocAuc)

}  // namespace tidemill::evaluator
