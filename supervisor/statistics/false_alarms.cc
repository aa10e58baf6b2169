#include "supervisor/statistics/false_alarms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tidemill::supervisor::statistics {

absl::StatusOr<double> AlarmShare(double alarms_per_month, double evaluations_per_month) {
  if (!(alarms_per_month > 0) || !(evaluations_per_month > alarms_per_month)) {
    return InvalidArgument("{} false alarms a month are not possible with {} evaluations a month",
                           alarms_per_month, evaluations_per_month);
  }
  return alarms_per_month / evaluations_per_month;
}

double EvaluationsPerMonth(Duration every) {
  return kSecondsPerMonth / (static_cast<double>(every.micros) / 1e6);
}

int64_t ScoresNeeded(double share) {
  return static_cast<int64_t>(std::min(std::ceil(100 / share), static_cast<double>(kMaxScores)));
}

absl::Status DrawWindows(int64_t history_rows, const NullScores& wanted,
                         const std::function<void(std::span<const int64_t> reference,
                                                  std::span<const int64_t> current)>& each) {
  const int64_t rows = wanted.NumRows();
  if (history_rows < rows) {
    return FailedPrecondition("a history of {} samples has no room for windows of {} and {}",
                              history_rows, wanted.reference_rows, wanted.current_rows);
  }
  std::vector<int64_t> numbers(static_cast<size_t>(history_rows));
  std::iota(numbers.begin(), numbers.end(), 0);
  for (int64_t draw = 0; draw < wanted.count / wanted.path; ++draw) {
    if (wanted.stop.stop_requested()) return Cancelled("the threshold is no longer needed");
    // Numbers stay as the draw before left them: any order will do to draw from.
    DrawFirst(numbers, rows, {.seed = wanted.seed, .purpose = "false alarms", .epoch = draw});
    const auto drawn = std::span<const int64_t>(numbers).first(static_cast<size_t>(rows));
    const auto cut = static_cast<size_t>(wanted.reference_rows);
    for (int64_t step = 0; step < wanted.path; ++step) {
      each(drawn.first(cut), drawn.subspan(cut + static_cast<size_t>(step * wanted.step_rows),
                                           static_cast<size_t>(wanted.current_rows)));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<double>> ScoresWithoutDrift(const Rows& history,
                                                       const TwoSampleStatistic& statistic,
                                                       const NullScores& wanted) {
  std::vector<double> scores;
  const auto score = [&](std::span<const int64_t> reference, std::span<const int64_t> current) {
    const std::vector<double> before = Gather(history, reference);
    const std::vector<double> now = Gather(history, current);
    scores.push_back(statistic({before, history.num_columns}, {now, history.num_columns}));
  };
  RETURN_IF_ERROR(DrawWindows(history.num_rows(), wanted, score));
  return scores;
}

absl::StatusOr<double> ThresholdAt(std::span<const double> scores, double share, BadSide bad) {
  const double sign = bad == BadSide::kHigh ? 1 : -1;
  // The worst first.
  std::vector<double> badness;
  for (const double score : scores) badness.push_back(sign * score);
  std::sort(badness.begin(), badness.end(), std::greater<>());
  const double k = share * static_cast<double>(badness.size() + 1);
  if (k < 1) {
    return FailedPrecondition(
        "{} scores are too few to know what happens in {} of all evaluations; at least {} are "
        "needed",
        badness.size(), share, static_cast<int64_t>(std::ceil(1 / share)) - 1);
  }
  const auto whole = static_cast<size_t>(k);
  if (whole >= badness.size()) return sign * badness.back();
  const double here = badness[whole - 1], next = badness[whole];
  if (here > next) return sign * std::lerp(here, next, k - static_cast<double>(whole));
  // Ties: this value comes too often, so half of the way to the next worse one.
  const auto worse = std::lower_bound(badness.begin(), badness.end(), here, std::greater<>());
  if (worse == badness.begin()) {
    return sign * std::nextafter(here, std::numeric_limits<double>::infinity());
  }
  return sign * (here + *(worse - 1)) / 2;
}

absl::StatusOr<double> ThresholdOfPaths(std::span<const double> scores, int64_t path,
                                        double evaluations, BadSide bad) {
  const double sign = bad == BadSide::kHigh ? 1 : -1;
  std::vector<double> candidates;
  for (const double score : scores) candidates.push_back(sign * score);
  const std::vector<double> badness = candidates;
  std::sort(candidates.begin(), candidates.end());
  // The evaluations by the alarms, which grow with the threshold.
  const auto apart = [&](double threshold) {
    double passed = 0;
    double alarms = 0;
    for (size_t begin = 0; begin < badness.size(); begin += static_cast<size_t>(path)) {
      const auto own = std::span(badness).subspan(begin, static_cast<size_t>(path));
      const auto alarm = std::ranges::find_if(own, [&](double one) { return one >= threshold; });
      const bool is_alarm = alarm != own.end();
      passed += static_cast<double>(alarm - own.begin()) + (is_alarm ? 1 : 0);
      alarms += is_alarm ? 1 : 0;
    }
    return passed / alarms;
  };
  if (candidates.empty() || apart(candidates.back()) < evaluations) {
    return FailedPrecondition(
        "{} scores are too few to know what happens once in {} evaluations, of which {} follow one "
        "another",
        scores.size(), evaluations, path);
  }
  return sign * *std::partition_point(candidates.begin(), candidates.end(), [&](double threshold) {
           return apart(threshold) < evaluations;
         });
}

}  // namespace tidemill::supervisor::statistics
