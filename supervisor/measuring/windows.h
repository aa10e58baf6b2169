// Which windows an evaluation has, and which model counts in each.
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
  // The last trigger at or before `from`: its model was in use when the window began and has seen
  // nothing of it.
  std::optional<int64_t> active_trigger = std::nullopt;
  // The first trigger at or after `to`: its model was trained when the window had just ended.
  std::optional<int64_t> trained_trigger = std::nullopt;
};

// The windows of an evaluation, by their beginning and then their end:
//   between_triggers  [start, cut 1), [cut 1, cut 2) ... [last cut, end)
//   slices            of equal length in event time from the start on
//   whole             [start, end)
//   periodic          from each beginning that is not after the end, the first being the last one
//                     that is not after the start
//   intervals         as listed
//   around_triggers   one for each trigger, from the time of its cut
// The first three cover the dataset and are pairwise disjoint; the others may overlap and leave
// gaps. All are cut off at start and end; those that are empty then, and repeated ones, are left
// out. FAILED_PRECONDITION, before any is made, when there are more than evaluator::kMaxWindows.
absl::StatusOr<std::vector<Window>> MakeWindows(const evaluator::WindowsSpec& spec,
                                                const v1::DatasetSynced& dataset,
                                                const std::vector<TriggerState>& triggers);

// Whether MakeWindows() would refuse, as far as that is known before there are triggers.
absl::Status CheckNumWindows(const evaluator::WindowsSpec& spec, const v1::DatasetSynced& dataset);

// The windows as the evaluator is asked for them, each with the model in use, where there is one,
// and the cut that it was trained to; on a `whole` dataset the last model counts as the one in use.
// With `models: active` no other is measured, and a window before the first trigger is left out.
// Fails as MakeWindows() does.
absl::StatusOr<std::vector<evaluator::v1::Window>> WindowsToMeasure(
    const evaluator::EvaluationSpec& spec, const v1::DatasetSynced& dataset,
    const std::vector<TriggerState>& triggers);

// The two composite series over the windows of one evaluation, of all samples of each. Windows for
// which there is no such model are left out. A `whole` evaluation has none.
struct Composites {
  std::vector<v1::CompositeValue> active;
  std::vector<v1::CompositeValue> trained;
};
Composites MakeComposites(const evaluator::EvaluationSpec& spec, const v1::DatasetSynced& dataset,
                          const std::vector<TriggerState>& triggers,
                          const std::vector<evaluator::v1::Evaluation>& values);

}  // namespace tidemill::supervisor
