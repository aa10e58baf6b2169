// Lets the evaluator measure the models of a run.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/run_state.h"
#include "supervisor/steps/job_slots.h"
#include "supervisor/steps/patience.h"
#include "supervisor/steps/run_record.h"

namespace tidemill::supervisor {

// Returns the snapshot of the training dataset on which a live run measures its models now.
absl::StatusOr<rpc::v1::Snapshot> SnapshotToMeasure(const RunRecord& record);

// Carries out the step `evaluate`. The evaluator measures models on the windows of one of the
// pipeline's evaluations, as far as they belong to the current round. Thread-compatible.
class ModelMeasurer {
 public:
  // All must outlive this object.
  ModelMeasurer(RunRecord& record, Downstream& downstream, JobSlots& slots, Patience& patience)
      : record_(record), downstream_(downstream), slots_(slots), patience_(patience) {}

  // `evaluation` counts from 0, in the order of the pipeline. When there is nothing to measure, the
  // evaluator is not called. Returns the errors of the evaluator. INTERNAL when the evaluation
  // failed.
  absl::Status Evaluate(int32_t evaluation);

 private:
  absl::StatusOr<evaluator::v1::StartEvaluationRequest> RequestFor(int32_t evaluation) const;
  absl::Status AddWindows(const evaluator::EvaluationSpec& spec,
                          evaluator::v1::StartEvaluationRequest& request) const;
  // Returns when the evaluation is done, and how it ended.
  absl::StatusOr<evaluator::v1::WatchEvaluationResponse> Watch(
      evaluator::v1::StartEvaluationRequest request);
  // Returns the labels that baselines may use: those that had arrived by each trigger, so that a
  // late sample never counts.
  absl::StatusOr<evaluator::v1::KnownLabels> KnownLabels() const;

  RunRecord& record_;
  Downstream& downstream_;
  JobSlots& slots_;
  Patience& patience_;
};

}  // namespace tidemill::supervisor
