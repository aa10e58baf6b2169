// Brings a dataset of a run up to date.
#pragma once

#include <string>

#include "base/status.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/steps/patience.h"
#include "supervisor/steps/run_record.h"

namespace tidemill::supervisor {

// Carries out the step `sync`. Storage looks for new files. The run records what the dataset
// contains, and which part of it the run uses. Thread-compatible.
class DatasetSyncer {
 public:
  // All must outlive this object.
  DatasetSyncer(RunRecord& record, Downstream& downstream, Patience& patience)
      : record_(record), downstream_(downstream), patience_(patience) {}

  // FAILED_PRECONDITION when the dataset has no samples, has none in the pipeline's replay, or has
  // too many windows of evaluation. A live run waits for samples instead: after a pause, nothing is
  // recorded, and so the step is repeated.
  absl::Status Sync(const std::string& name);

 private:
  // The dataset lacks the files that the result says were not taken.
  absl::StatusOr<storage::v1::Dataset> LookForFiles(const std::string& name);
  // Whether the dataset of this name is the one that the run has synced before. Keys and columns of
  // another one would mean something else.
  absl::Status CheckIsTheSame(const storage::v1::Dataset& dataset) const;
  void WaitForSamples();

  RunRecord& record_;
  Downstream& downstream_;
  Patience& patience_;
};

}  // namespace tidemill::supervisor
