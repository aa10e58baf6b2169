// Brings a dataset of a run up to date.
#pragma once

#include <string>

#include "base/status.h"
#include "supervisor/conductor/patience.h"
#include "supervisor/conductor/run_record.h"
#include "supervisor/runs/downstream.h"

namespace tidemill::supervisor {

// Takes the step `sync`: storage looks for new files, and the run writes down what the dataset
// holds and which part of it the run is over. Thread-compatible.
class DatasetSyncer {
 public:
  // All must outlive this object.
  DatasetSyncer(RunRecord& record, Downstream& downstream, Patience& patience)
      : record_(record), downstream_(downstream), patience_(patience) {}

  // FAILED_PRECONDITION for a dataset without samples, without samples in the pipeline's replay, or
  // with too many windows of evaluation. A live run waits for samples instead: after a pause
  // nothing is written down, so that the step comes again.
  absl::Status Sync(const std::string& name);

 private:
  struct Synced {
    storage::v1::Dataset dataset;
    rpc::v1::Snapshot snapshot;
  };
  absl::StatusOr<Synced> LookForFiles(const std::string& name);
  void WaitForSamples();

  RunRecord& record_;
  Downstream& downstream_;
  Patience& patience_;
};

}  // namespace tidemill::supervisor
