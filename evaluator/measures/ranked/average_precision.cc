#include "evaluator/measures/ranked/average_precision.h"

#include <span>
#include <vector>

#include "evaluator/measures/ranked/ranks.h"

namespace tidemill::evaluator {
namespace {

std::optional<double> MeanPrecision(std::span<const RankCount> ranks) {
  double positives = 0;
  double samples = 0;
  double sum = 0;
  for (size_t i = ranks.size(); i-- > 0;) {
    if (ranks[i].positives + ranks[i].negatives == 0) continue;
    const auto found = static_cast<double>(ranks[i].positives);
    positives += found;
    samples += found + static_cast<double>(ranks[i].negatives);
    sum += found * positives / samples;
  }
  if (positives == 0) return std::nullopt;
  return sum / positives;
}

// The derivative of the mean precision by the weight of a sample. The sample counts at its own
// place, if it is a positive, and in the precision of each positive at or below it.
std::vector<RankInfluence> PrecisionInfluence(std::span<const RankCount> ranks) {
  const std::optional<double> mean = MeanPrecision(ranks);
  if (!mean) return {};
  std::vector<double> precisions(ranks.size());
  std::vector<double> found_shares(ranks.size());  // The positives of the rank by all from it on.
  double positives = 0;
  double samples = 0;
  for (size_t i = ranks.size(); i-- > 0;) {
    const auto found = static_cast<double>(ranks[i].positives);
    positives += found;
    samples += found + static_cast<double>(ranks[i].negatives);
    precisions[i] = samples > 0 ? positives / samples : 0;
    found_shares[i] = samples > 0 ? found / samples : 0;
  }
  double gains = 0;
  double losses = 0;
  std::vector<RankInfluence> influence;
  for (size_t i = 0; i < ranks.size(); ++i) {
    gains += found_shares[i];
    losses += found_shares[i] * precisions[i];
    influence.push_back({.of_positive = (precisions[i] + gains - losses - *mean) / positives,
                         .of_negative = -losses / positives});
  }
  return influence;
}

}  // namespace

std::optional<double> AveragePrecision::ValueOf(const Outcomes& outcomes) const {
  return MeanOverClasses(outcomes, &MeanPrecision);
}

std::vector<double> AveragePrecision::Influence(const Outcomes& outcomes) const {
  return InfluenceOverClasses(outcomes, &PrecisionInfluence);
}

TIDEMILL_PART(Measure, MeasureOf, AveragePrecision)

}  // namespace tidemill::evaluator
