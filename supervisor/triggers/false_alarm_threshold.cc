#include "supervisor/triggers/false_alarm_threshold.h"

#include <algorithm>
#include <cmath>

#include "supervisor/triggers/number_names.h"

namespace tidemill::supervisor {
FalseAlarmThreshold FindFalseAlarmThreshold(const AutoCriterion& criterion,
                                            const statistics::Rows& history,
                                            const statistics::DriftStatistic& statistic,
                                            const Evaluations& evaluations) {
  FalseAlarmThreshold found = {.sought = true,
                               .evaluations_per_month = evaluations.evaluations_per_month,
                               .history_rows = history.num_rows()};
  const auto share =
      statistics::AlarmShare(criterion.alarms_per_month, evaluations.evaluations_per_month);
  if (!share.ok()) return found;
  found.evaluations_per_alarm = 1 / *share;
  // With fewer scores than the share's inverse none of them stands for the share.
  const double least = std::min(std::ceil(1 / *share), static_cast<double>(statistics::kMaxScores));
  const int64_t count = std::max(static_cast<int64_t>(least),
                                 std::min(criterion.scores, statistics::ScoresNeeded(*share)));
  const auto scores = statistics::ScoresWithoutDrift(statistic, history,
                                                     {.reference_rows = evaluations.reference_rows,
                                                      .current_rows = evaluations.current_rows,
                                                      .count = count,
                                                      .seed = evaluations.seed,
                                                      .stop = evaluations.stop},
                                                     evaluations.seed);
  if (!scores.ok()) return found;
  const auto threshold = statistics::ThresholdAt(*scores, *share, statistics::BadSide::kHigh);
  found.found = threshold.ok();
  found.threshold = threshold.value_or(0);
  return found;
}

void Observe(const FalseAlarmThreshold& threshold, Observed& observed) {
  observed[number::kHistoryRows] = static_cast<double>(threshold.history_rows);
  observed[number::kEvaluationsPerMonth] = threshold.evaluations_per_month;
  if (!threshold.found) return;
  observed[number::kThreshold] = threshold.threshold;
  observed[number::kEvaluationsPerAlarm] = threshold.evaluations_per_alarm;
}

}  // namespace tidemill::supervisor
