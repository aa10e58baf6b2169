#include "evaluator/measures/average_precision.h"

#include <span>

#include "evaluator/measures/ranks.h"

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

}  // namespace

std::optional<double> AveragePrecision::ValueOf(const Outcomes& outcomes) const {
  return MeanOverClasses(outcomes, &MeanPrecision);
}

}  // namespace tidemill::evaluator
