// What a live run measures, and when: in rounds, one after each stored model and one at the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/run_state.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"

namespace tidemill::supervisor {

// The part of a dataset that the run's windows are cut from by now. In a replay, and once the
// stream has ended, all of it; before, what lies before the last trigger that has a model.
absl::StatusOr<v1::DatasetSynced> MeasuredPart(const RunState& state, const PipelineSpec& spec,
                                               const std::string& dataset);

// The triggers that have a model.
std::vector<TriggerState> StoredTriggers(const RunState& state);

// The windows, with their models, that the present round measures of an evaluation: at the end,
// and in a replay, all of them; before, those that the last stored model's trigger has closed. A
// `whole` dataset other than the one that is trained on is closed from the beginning, so that each
// new model is measured on it. Models that retention has removed are left out.
struct WindowsOfRound {
  std::vector<evaluator::v1::Window> windows;
  // The models of windows that name none.
  std::vector<int64_t> model_ids;
  // Left out.
  int64_t num_removed_models = 0;
};
absl::StatusOr<WindowsOfRound> WindowsToMeasureNow(const RunState& state, const PipelineSpec& spec,
                                                   const evaluator::EvaluationSpec& evaluation);

// Leaves out of a snapshot what came too late for the triggers: for each, samples whose labels were
// to be known at its cut and that it did not know.
void AddHorizons(const std::vector<TriggerState>& triggers, Duration label_delay,
                 rpc::v1::Snapshot& snapshot);

// Of values that several rounds have measured the newest. Evaluations of round r are numbered from
// r * num_evaluations on in `values`, and as in the pipeline in the result.
std::vector<evaluator::v1::Evaluation> NewestOfEach(std::vector<evaluator::v1::Evaluation> values,
                                                    int num_evaluations);

}  // namespace tidemill::supervisor
