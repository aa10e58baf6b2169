// `threshold: auto`: the threshold at which a policy raises a stated number of false alarms a
// month.
//
// What a score is like when nothing drifts is found out on stored samples whose order has been
// shuffled, for then no window differs from another but by chance. Of E evaluations a month R may
// fire, so the threshold is where a share R / E of such scores lies beyond.
//
//   const double share = *AlarmShare(1, evaluations_per_month);
//   const auto scores = ScoresWithoutDrift(history, 500, 500, statistic, ScoresNeeded(share),
//   seed); const double threshold = *ThresholdAt(scores, share, BadSide::kHigh);
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "supervisor/statistics/criteria.h"
#include "supervisor/statistics/permutation.h"
#include "supervisor/statistics/rows.h"

namespace tidemill::supervisor::statistics {

// The mean month of the Gregorian calendar: 30.436875 days.
inline constexpr double kSecondsPerMonth = 2'629'746;

// The share of evaluations that may fire. INVALID_ARGUMENT unless both are positive and there are
// more evaluations than alarms.
absl::StatusOr<double> AlarmShare(double alarms_per_month, double evaluations_per_month);

// How many evaluations a month holds: `every` a stretch of event time.
double EvaluationsPerMonth(Duration every);

// How many scores make ThresholdAt() good to a tenth, one standard deviation, in the rate of
// alarms: 100 / share, at most 200'000 (there a rate of 1 in 2000 is still good to a tenth).
int64_t ScoresNeeded(double share);

// What to score when nothing drifts.
struct NullScores {
  int64_t reference_rows = 0;
  int64_t current_rows = 0;
  int64_t count = 0;  // See ScoresNeeded().
  int64_t seed = 0;
};

// Draws two windows without replacement, and without overlap, so many times, and calls `each` with
// the numbers of the reference's rows and with those of the current one's. FAILED_PRECONDITION when
// the history has fewer rows than the two windows. A pure function of its arguments.
absl::Status DrawWindows(int64_t history_rows, const NullScores& wanted,
                         const std::function<void(std::span<const int64_t> reference,
                                                  std::span<const int64_t> current)>& each);

// The scores of windows that DrawWindows() draws. Fails as it does. Time `count` times that of the
// statistic.
absl::StatusOr<std::vector<double>> ScoresWithoutDrift(const Rows& history,
                                                       const TwoSampleStatistic& statistic,
                                                       const NullScores& wanted);

// The threshold for JudgeByThreshold() that one more score like these reaches with a probability of
// `share`: the k-th worst of M scores for k = share (M + 1), interpolated between neighbours, which
// is exact for scores without ties whatever their distribution (Vovk, Gammerman and Shafer,
// "Algorithmic learning in a random world", 2005). Where scores tie, the least threshold
// that is reached at most that often. FAILED_PRECONDITION when there are too few, k < 1.
// O(M log M).
absl::StatusOr<double> ThresholdAt(std::span<const double> scores, double share, BadSide bad);

// The least and the greatest number of events that a Poisson variable of this mean takes with 95 %:
// below and above lie at most 2.5 % each. What a count of false alarms is held against.
struct PoissonBand {
  int64_t low = 0;
  int64_t high = 0;
};
PoissonBand PoissonBandOf(double mean);

}  // namespace tidemill::supervisor::statistics
