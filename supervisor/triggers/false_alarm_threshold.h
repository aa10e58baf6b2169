// The threshold of `criterion: auto`, found on the samples before a training.
#pragma once

#include <cstdint>

#include "supervisor/statistics/drift_statistic.h"
#include "supervisor/triggers/criterion_spec.h"
#include "supervisor/triggers/verdict.h"

namespace tidemill::supervisor {

// A state (sealed_state.h).
struct FalseAlarmThreshold {
  bool sought = false;  // Since the last training.
  bool found = false;
  double threshold = 0;
  double evaluations_per_month = 0;
  double evaluations_per_alarm = 0;
  int64_t history_rows = 0;

  void Fields(auto&& field) {
    field("sought", sought);
    field("found", found);
    field("threshold", threshold);
    field("evaluations_per_month", evaluations_per_month);
    field("evaluations_per_alarm", evaluations_per_alarm);
    field("history_rows", history_rows);
  }
};

// What evaluations are like.
struct Evaluations {
  int64_t reference_rows = 0;
  int64_t current_rows = 0;
  double evaluations_per_month = 0;
  int64_t seed = 0;
};

// Not found where the history has no room for both windows, and not needed where there are no more
// evaluations a month than may be false alarms. The rows are of this history, of any order. Time
// that of `scores` statistics, or less (drift_statistic.h).
FalseAlarmThreshold FindFalseAlarmThreshold(const AutoCriterion& criterion,
                                            const statistics::Rows& history,
                                            const statistics::DriftStatistic& statistic,
                                            const Evaluations& evaluations);

void Observe(const FalseAlarmThreshold& threshold, Observed& observed);

}  // namespace tidemill::supervisor
