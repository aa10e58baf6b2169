#include "supervisor/triggers/criteria/false_alarm_threshold.h"

#include <algorithm>
#include <cmath>

#include "supervisor/triggers/number_names.h"

namespace tidemill::supervisor {
namespace {

// Windows that share so little count as apart. A rate of samples is not known to a hundredth.
constexpr double kHardlyOverlaps = 0.95;
// The fewest paths from which a threshold is found, so that it does not hang on one reference.
constexpr int64_t kLeastPaths = 10;

// The evaluations after a training at which the current window is not full yet.
double EvaluationsUntilFull(double new_share) {
  return new_share >= kHardlyOverlaps ? 0 : std::ceil(1 / new_share - 0.05) - 1;
}

// Sets how many evaluations are tried together, and rounds their number up to whole paths.
// `history_rows` are those that can be compared.
void SetPath(double evaluations_apart, double new_share, int64_t history_rows,
             statistics::NullScores& wanted) {
  if (new_share >= kHardlyOverlaps) return;
  wanted.step_rows =
      std::max<int64_t>(1, std::llround(new_share * static_cast<double>(wanted.current_rows)));
  const int64_t room = (history_rows - wanted.NumRows()) / wanted.step_rows + 1;
  const auto of_alarm = static_cast<int64_t>(
      std::ceil(std::min(evaluations_apart, static_cast<double>(statistics::kMaxScores))));
  wanted.path = std::max<int64_t>(1, std::min({of_alarm, room, wanted.count / kLeastPaths}));
  // Enough even where the only alarm ends its path at once.
  wanted.count = std::max(wanted.count, of_alarm + wanted.path);
  wanted.count = (wanted.count + wanted.path - 1) / wanted.path * wanted.path;
}

int64_t NumCompared(const statistics::DriftStatistic& statistic, const statistics::Rows& history) {
  if (statistics::IsByColumn(statistic)) return history.num_rows();
  return std::ssize(statistics::CompleteRows(history)) / std::max<int64_t>(1, history.num_columns);
}

}  // namespace

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
  statistics::NullScores wanted = {
      .reference_rows = evaluations.reference_rows,
      .current_rows = evaluations.current_rows,
      .count = std::max(static_cast<int64_t>(least),
                        std::min(criterion.scores, statistics::ScoresNeeded(*share))),
      .seed = evaluations.seed,
      .stop = evaluations.stop};
  const double apart = std::max(1.0, 1 / *share - EvaluationsUntilFull(evaluations.new_share));
  SetPath(apart, evaluations.new_share, NumCompared(statistic, history), wanted);
  const auto scores = statistics::ScoresWithoutDrift(statistic, history, wanted, evaluations.seed);
  if (!scores.ok()) return found;
  constexpr auto kBad = statistics::BadSide::kHigh;
  const auto threshold = evaluations.new_share >= kHardlyOverlaps
                             ? statistics::ThresholdAt(*scores, *share, kBad)
                             : statistics::ThresholdOfPaths(*scores, wanted.path, apart, kBad);
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
