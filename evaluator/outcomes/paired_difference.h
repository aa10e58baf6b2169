// The difference between two models, or between a model and a rule, on the samples that both have.
//
// Two values of the same samples move together: a hard sample is hard for both. So their own
// intervals say little about their difference, which may be beyond chance where these overlap.
// Here the samples are drawn again, each with both answers, and each draw has one difference:
//
//   sample     17   18   19   20   21          the draws of a sample depend on its key alone
//   one         right wrong right right wrong
//   other       right right wrong wrong wrong
//   drawn        2x   0x    1x    1x    3x     difference of the draw: 4 of 7 less 2 of 7
//
// This is the bootstrap of pairs (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993,
// chapter 8) with the Poisson draws of measures/bootstrap.h. If the influence of a sample on the
// difference depends on that of earlier samples, the interval is widened as measures/dependence.h
// describes. Blocks of rows have been tried there, too, and hold the truth less often.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "evaluator/measures/bootstrap.h"
#include "evaluator/measures/measures.h"

namespace tidemill::evaluator {

// The answers of one and of another about the same samples, row by row. Both outcomes have what the
// measures need, and no weights.
struct PairedOutcomes {
  Outcomes one = {};
  Outcomes other = {};
  // In the order of time.
  DrawnSamples samples = {};
  // The number of the window of each sample, from 0; empty for one window. Models of one window may
  // gain more than those of another, which is not dependence between samples: a sample is compared
  // with the mean of its window, if this has kFewestOfWindow samples.
  std::span<const int32_t> windows = {};
};

inline constexpr int64_t kFewestOfWindow = 30;

struct PairedDifference {
  // The values on the samples that both have.
  double one = 0;
  double other = 0;
  // The interval of one - other. Absent when it is unknown: of fewer than kFewestPairs samples,
  // without replicates, and where the measure is undefined in most draws.
  std::optional<Interval> interval = std::nullopt;
  int64_t num_samples = 0;

  double value() const { return one - other; }
  // Whether the interval does not hold 0.
  bool IsBeyondChance() const { return interval && (interval->low > 0 || interval->high < 0); }
};

// Percentiles of fewer samples are too near to each other.
inline constexpr int64_t kFewestPairs = 30;

// Whatever the measure, answers that differ on fewer samples than this prove nothing: if each of
// them were as likely to favour either side, all 5 would favour the same one in 6 % of all cases
// (the sign test). The interval then holds 0.
inline constexpr int64_t kFewestDiffering = 6;

// Whether the outcomes have what the measure takes: kept outcomes may lack probabilities or scores.
bool HasWhatItNeeds(const Measure& measure, const Outcomes& outcomes);

// Returns the difference of a measure. std::nullopt when the measure has no value, or is undefined
// for one of the two. `windows` is one window with all samples. Only for a measure whose values are
// averaged over windows (Pooling::kMeanOverWindows), because scores of different models rank each
// other's samples by accident, is it each window: their differences are averaged by samples, the
// squared distances of the bounds are added, and windows in which the measure is undefined do not
// count. The interval depends on the keys, the answers and `seed` alone. Time grows with samples x
// replicates, memory with samples.
std::optional<PairedDifference> DifferenceOf(const Measure& measure,
                                             std::span<const PairedOutcomes> windows,
                                             int replicates, int64_t seed);

}  // namespace tidemill::evaluator
