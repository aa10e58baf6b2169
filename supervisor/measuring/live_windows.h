// Decides what a live run measures, and when. It measures in rounds: one after each stored model,
// and one at the end.
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

// Returns the part of a dataset that is divided into windows now. In a replay, and once the stream
// has ended, it is everything. Before that, it is the part before the last trigger with a model.
absl::StatusOr<v1::DatasetSynced> MeasuredPart(const RunState& state, const PipelineSpec& spec,
                                               const std::string& dataset);

// Returns the triggers that have a model.
std::vector<TriggerState> StoredTriggers(const RunState& state);

// The windows of an evaluation that the current round measures, with their models. At the end, and
// in a replay, they are all windows. Before that, they are the windows that the trigger of the last
// stored model has closed. A `whole` dataset other than the training dataset is closed from the
// beginning, so that each new model is measured on it. Models that retention has removed are left
// out.
struct WindowsOfRound {
  std::vector<evaluator::v1::Window> windows;
  // The models for windows that name none.
  std::vector<int64_t> model_ids;
  // The number of models left out.
  int64_t num_removed_models = 0;
};
absl::StatusOr<WindowsOfRound> WindowsToMeasureNow(const RunState& state, const PipelineSpec& spec,
                                                   const evaluator::EvaluationSpec& evaluation);

// Excludes samples from a snapshot that came too late for the triggers. For each trigger, these are
// samples whose labels should have been known at its cut, but were not.
void AddHorizons(const std::vector<TriggerState>& triggers, Duration label_delay,
                 rpc::v1::Snapshot& snapshot);

// Returns the newest of the values that several rounds have measured. In `values`, the evaluations
// of round r are numbered from r * num_evaluations on. In the result, they are numbered as in the
// pipeline.
std::vector<evaluator::v1::Evaluation> NewestOfEach(std::vector<evaluator::v1::Evaluation> values,
                                                    int num_evaluations);

}  // namespace tidemill::supervisor
