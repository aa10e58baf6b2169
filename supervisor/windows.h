// Which windows an evaluation has, and which model counts in each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/client/evaluation_spec.h"
#include "supervisor/run_state.h"
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

// The windows of an evaluation, in order. Together they cover the dataset, pairwise disjoint:
//   between_triggers  [start, cut 1), [cut 1, cut 2) ... [last cut, end)
//   slices            of equal length in event time
//   whole             [start, end)
// Windows that lie outside the dataset's time are left out, as are empty ones.
std::vector<Window> MakeWindows(const evaluator::WindowsSpec& spec,
                                const v1::DatasetSynced& dataset,
                                const std::vector<TriggerState>& triggers);

// The windows as the evaluator is asked for them: with `models: active` each names the model in
// use, and a window before the first trigger is left out; on a `whole` dataset the last model
// counts as the one in use.
std::vector<evaluator::v1::Window> WindowsToMeasure(const evaluator::EvaluationSpec& spec,
                                                    const v1::DatasetSynced& dataset,
                                                    const std::vector<TriggerState>& triggers);

// The two composite series over the windows of one evaluation. Windows for which there is no such
// model are left out. A `whole` evaluation has none.
struct Composites {
  std::vector<v1::CompositeValue> active;
  std::vector<v1::CompositeValue> trained;
};
Composites MakeComposites(const evaluator::EvaluationSpec& spec, const v1::DatasetSynced& dataset,
                          const std::vector<TriggerState>& triggers,
                          const std::vector<evaluator::v1::Evaluation>& values);

}  // namespace tidemill::supervisor
