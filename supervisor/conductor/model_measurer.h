// Has the models of a run measured.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "supervisor/conductor/patience.h"
#include "supervisor/conductor/run_record.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/run_state.h"

namespace tidemill::supervisor {

// Takes the step `evaluate`: the evaluator measures models on the windows of one evaluation of the
// pipeline that the present round has. Thread-compatible.
class ModelMeasurer {
 public:
  // All must outlive this object.
  ModelMeasurer(RunRecord& record, Downstream& downstream, Patience& patience)
      : record_(record), downstream_(downstream), patience_(patience) {}

  // `evaluation` counts from 0, in the order of the pipeline. Does without the evaluator where
  // there is nothing to measure. Errors are those of the evaluator, INTERNAL for an evaluation that
  // failed.
  absl::Status Evaluate(int32_t evaluation);

 private:
  absl::StatusOr<evaluator::v1::StartEvaluationRequest> RequestFor(int32_t evaluation) const;
  absl::Status AddWindows(const evaluator::EvaluationSpec& spec,
                          evaluator::v1::StartEvaluationRequest& request) const;
  // Returns once the evaluation is done.
  absl::Status Watch(const evaluator::v1::StartEvaluationRequest& request);
  // Of a live run: what is known to the models that are measured.
  absl::StatusOr<rpc::v1::Snapshot> SnapshotToMeasure() const;
  // What baselines may know: at a trigger what had come by then, so a late sample never counts.
  absl::StatusOr<evaluator::v1::KnownLabels> KnownLabels() const;

  RunRecord& record_;
  Downstream& downstream_;
  Patience& patience_;
};

}  // namespace tidemill::supervisor
