// Finds the threshold of `criterion: auto` from the samples before a training.
#pragma once

#include <cstdint>
#include <stop_token>

#include "base/status.h"
#include "supervisor/statistics/two_samples/drift_statistic.h"
#include "supervisor/triggers/criteria/criterion_spec.h"
#include "supervisor/triggers/verdict.h"

namespace tidemill::supervisor {

// A threshold and how it was found. It is a state (sealed_state.h).
struct FalseAlarmThreshold {
  // Whether a threshold has been sought since the last training.
  bool sought = false;
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

// The sizes and the frequency of the evaluations to come.
struct Evaluations {
  int64_t reference_rows = 0;
  int64_t current_rows = 0;
  double evaluations_per_month = 0;
  int64_t seed = 0;
  std::stop_token stop = {};
  // The share of the current window that is new at each evaluation: below 1, the windows overlap.
  double new_share = 1;
};

// Finds a threshold with which chance alone causes the stated number of trainings. Where windows
// overlap, evaluations after a training are tried together, in paths: several alarms of overlapping
// windows would be one training, and none is possible until the window is full again. A path is as
// long as the evaluations of an alarm, but no longer than the history has room for, so that of a
// short history there are fewer alarms than stated. Finds none when the history has no room for
// both windows. Needs none when there are no more evaluations a month than false alarms
// allowed. The rows of `history` may be in any order. Takes at most as long as `scores` statistics
// (drift_statistic.h). After a stop it ends soon, without a threshold.
FalseAlarmThreshold FindFalseAlarmThreshold(const AutoCriterion& criterion,
                                            const statistics::Rows& history,
                                            const statistics::DriftStatistic& statistic,
                                            const Evaluations& evaluations);

void Observe(const FalseAlarmThreshold& threshold, Observed& observed);

}  // namespace tidemill::supervisor
