// `threshold: auto`: the threshold at which a policy raises a stated number of false alarms a
// month.
//
// Scores without drift are found on stored samples in shuffled order, where windows differ only by
// chance. Let R of E evaluations a month be allowed to fire. Then the threshold is where a share R
// / E of these scores is beyond it.
//
//   const double share = *AlarmShare(1, evaluations_per_month);
//   const auto scores = ScoresWithoutDrift(history, 500, 500, statistic, ScoresNeeded(share),
//   seed); const double threshold = *ThresholdAt(scores, share, BadSide::kHigh);
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "supervisor/statistics/criteria.h"
#include "supervisor/statistics/permutation.h"
#include "supervisor/statistics/rows.h"

namespace tidemill::supervisor::statistics {

// The mean month of the Gregorian calendar: 30.436875 days.
inline constexpr double kSecondsPerMonth = 2'629'746;

// The most windows that are scored for a threshold. A rarer alarm has none.
inline constexpr int64_t kMaxScores = 200'000;

// Returns the share of evaluations that may fire. INVALID_ARGUMENT unless both numbers are positive
// and there are more evaluations than alarms.
absl::StatusOr<double> AlarmShare(double alarms_per_month, double evaluations_per_month);

// Returns the number of evaluations in a month. `every` is a duration of event time.
double EvaluationsPerMonth(Duration every);

// Returns how many scores ThresholdAt() needs for a rate of alarms that is right to a tenth, as one
// standard deviation: 100 / share, at most 200'000. With that many, a rate of 1 in 2000 is still
// right to a tenth.
int64_t ScoresNeeded(double share);

// The windows to score without drift.
struct NullScores {
  int64_t reference_rows = 0;
  int64_t current_rows = 0;
  int64_t count = 0;  // See ScoresNeeded().
  int64_t seed = 0;
  std::stop_token stop = {};
  // How many current windows follow one another beside the same reference, as evaluations after a
  // training do, and how many new rows each has. `count` is a multiple of the first.
  int64_t path = 1;
  int64_t step_rows = 0;

  // The rows that a path takes.
  int64_t NumRows() const { return reference_rows + current_rows + (path - 1) * step_rows; }
};

// Draws two windows without replacement and without overlap, `count` times; with `path`, several
// current windows at once. Calls `each` with the numbers of the reference's rows and of the current
// rows, path after path. FAILED_PRECONDITION when the history has fewer rows than a path takes;
// CANCELLED after a stop. A pure function of its other arguments.
absl::Status DrawWindows(int64_t history_rows, const NullScores& wanted,
                         const std::function<void(std::span<const int64_t> reference,
                                                  std::span<const int64_t> current)>& each);

// Returns the scores of the windows that DrawWindows() draws. Returns the errors of DrawWindows().
// Takes `count` times as long as the statistic.
absl::StatusOr<std::vector<double>> ScoresWithoutDrift(const Rows& history,
                                                       const TwoSampleStatistic& statistic,
                                                       const NullScores& wanted);

// Returns the threshold for JudgeByThreshold() that one more such score reaches with probability
// `share`. It is the k-th worst of M scores for k = share (M + 1), interpolated between neighbours.
// For scores without ties, this is exact whatever their distribution (Vovk, Gammerman and Shafer,
// "Algorithmic learning in a random world", 2005). With ties, it is the least threshold that is
// reached at most that often. FAILED_PRECONDITION when there are too few scores, k < 1. O(M log M).
absl::StatusOr<double> ThresholdAt(std::span<const double> scores, double share, BadSide bad);

// Returns the threshold for evaluations whose current windows overlap: that at which alarms are
// `evaluations` apart in the mean, from the first evaluation after a training on. `scores` are the
// scores of paths of `path` evaluations each; a path ends with its first alarm.
//
//   path   scores            first alarm at 5   evaluations passed
//    1     1 2 4 6 7 6 3     the 4th            4
//    2     2 3 2 1 1 2 2     none               7
//    3     4 5 6 4 2 1 3     the 2nd            2
//                            2 alarms           13, so 6.5 apart
//
// The k-th of all scores would count the three alarms of the first path, which are one training. A
// chain of paths that end with their alarms is a renewal process (Siegmund, "Sequential Analysis",
// 1985, chapter II, for the mean time between false alarms). FAILED_PRECONDITION when the scores
// are too few for one alarm so far apart. O(M log M).
absl::StatusOr<double> ThresholdOfPaths(std::span<const double> scores, int64_t path,
                                        double evaluations, BadSide bad);

}  // namespace tidemill::supervisor::statistics
