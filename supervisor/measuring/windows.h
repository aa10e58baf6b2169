// The windows of an evaluation, and the model that counts in each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.h"
#include "evaluator/client/evaluation_spec.h"
#include "supervisor/runs/run_state.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"

namespace tidemill::supervisor {

// A slice [from, to) of a dataset's stream.
struct Window {
  rpc::v1::Cut from;
  rpc::v1::Cut to;
  // The last trigger at or before `from`. Its model was in use when the window began, and has seen
  // no sample of it.
  std::optional<int64_t> active_trigger = std::nullopt;
  // The first trigger at or after `to`. Its model was trained when the window had just ended.
  std::optional<int64_t> trained_trigger = std::nullopt;
};

// Returns the windows of an evaluation, ordered by beginning and then by end:
//   between_triggers  [start, cut 1), [cut 1, cut 2) ... [last cut, end)
//   slices            of equal length in event time from the start on
//   whole             [start, end)
//   periodic          from each beginning that is not after the end, the first being the last one
//                     that is not after the start
//   intervals         as listed
//   around_triggers   one for each trigger, from the time of its cut
// The first three kinds cover the dataset and are pairwise disjoint. The others may overlap and
// leave gaps. All are cut off at the start and the end. Windows that are then empty, and repeated
// ones, are left out. FAILED_PRECONDITION, before any window is made, when there are more than
// evaluator::kMaxWindows.
absl::StatusOr<std::vector<Window>> MakeWindows(const evaluator::WindowsSpec& spec,
                                                const v1::DatasetSynced& dataset,
                                                const std::vector<TriggerState>& triggers);

// Returns whether MakeWindows() would refuse, as far as that is known before there are triggers.
absl::Status CheckNumWindows(const evaluator::WindowsSpec& spec, const v1::DatasetSynced& dataset);

// Returns the windows in the form of a request to the evaluator. Each has the model in use, if
// there is one, and the cut up to which it was trained. On a `whole` dataset, the last model counts
// as the one in use. With `models: active` no other model is measured, and windows before the first
// trigger are left out. Returns the errors of MakeWindows().
absl::StatusOr<std::vector<evaluator::v1::Window>> WindowsToMeasure(
    const evaluator::EvaluationSpec& spec, const v1::DatasetSynced& dataset,
    const std::vector<TriggerState>& triggers);

// Says of the values of one evaluation to which composite series they belong. A `whole` evaluation
// has no series, and neither has a baseline.
void MarkSeries(const evaluator::EvaluationSpec& spec, const v1::DatasetSynced& dataset,
                const std::vector<TriggerState>& triggers,
                const std::vector<evaluator::v1::Evaluation*>& values);

}  // namespace tidemill::supervisor
