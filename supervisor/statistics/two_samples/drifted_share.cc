#include "supervisor/statistics/two_samples/drifted_share.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <variant>
#include <vector>

namespace tidemill::supervisor::statistics {

int64_t NumCompared(const DriftScore& score) {
  return std::count_if(score.columns.begin(), score.columns.end(),
                       [](double column) { return !std::isnan(column); });
}

int64_t NumOfShare(const DriftScore& score, double share) {
  const auto compared = static_cast<double>(NumCompared(score));
  // Not one more where a share such as 0.3 of ten is a little more than 3 in floating point.
  return std::max<int64_t>(1, std::llround(std::ceil(share * compared - 1e-9)));
}

DriftScore ReachedBy(int64_t num_columns, DriftScore score) {
  const auto nth = static_cast<ptrdiff_t>(num_columns - 1);
  std::vector<double> scores, p_values;
  for (size_t i = 0; i < score.columns.size(); ++i) {
    if (std::isnan(score.columns[i])) continue;
    scores.push_back(score.columns[i]);
    if (!score.column_p_values.empty()) p_values.push_back(score.column_p_values[i]);
  }
  std::nth_element(scores.begin(), scores.begin() + nth, scores.end(), std::greater<>());
  score.score = scores[static_cast<size_t>(nth)];
  score.p_value.reset();
  if (p_values.empty()) return score;
  std::nth_element(p_values.begin(), p_values.begin() + nth, p_values.end());
  score.p_value = p_values[static_cast<size_t>(nth)];
  return score;
}

bool HasColumnPValues(const DriftStatistic& statistic) {
  return std::holds_alternative<KsStatistic>(statistic) ||
         std::holds_alternative<CramerVonMisesStatistic>(statistic);
}

}  // namespace tidemill::supervisor::statistics
