// Finds criteria that no score can meet. Their policies would wait forever, without a reason that a
// user could see.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/remark.h"
#include "supervisor/statistics/two_samples/drift_statistic.h"
#include "supervisor/triggers/criteria/criterion_spec.h"
#include "supervisor/triggers/criteria/score_criterion.h"

namespace tidemill::supervisor {

// The least and the greatest possible score; absent when there is no bound.
struct ScoreRange {
  std::optional<double> least = std::nullopt;
  std::optional<double> greatest = std::nullopt;
};

ScoreRange RangeOf(const statistics::DriftStatistic& statistic);

// Paths begin at the policy. An error for a criterion that never fires.
std::vector<config::Remark> FindSilence(const ThresholdCriterion& criterion, const ScoreKind& kind,
                                        const ScoreRange& range);
std::vector<config::Remark> FindSilence(const QuantileCriterion& criterion, const ScoreKind& kind,
                                        const ScoreRange& range);
std::vector<config::Remark> FindSilence(const RollingAverageCriterion& criterion,
                                        const ScoreKind& kind, const ScoreRange& range);

// For p-values of at least `least`. An error when not even the first test can fire, a warning when
// later tests cannot because of `spend`.
std::vector<config::Remark> FindSilence(const PValueCriterion& criterion, double least);

// For a criterion that finds its own threshold, with this many evaluations per month.
std::vector<config::Remark> FindSilence(const AutoCriterion& criterion,
                                        double evaluations_per_month);

// Returns the least p-value of windows with these numbers of samples; 0 when there is no bound.
double LeastPValue(const statistics::DriftStatistic& statistic, int64_t reference, int64_t current,
                   int64_t num_columns);

}  // namespace tidemill::supervisor
