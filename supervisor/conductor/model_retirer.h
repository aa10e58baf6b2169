// Removes the models and training sets that a run does not keep.
#pragma once

#include "base/status.h"
#include "supervisor/conductor/patience.h"
#include "supervisor/conductor/run_record.h"
#include "supervisor/runs/downstream.h"

namespace tidemill::supervisor {

// Carries out the step `retire`. Thread-compatible.
class ModelRetirer {
 public:
  // All must outlive this object.
  ModelRetirer(RunRecord& record, Downstream& downstream, Patience& patience)
      : record_(record), downstream_(downstream), patience_(patience) {}

  // Removes what the pipeline's retention does not keep, and records it. Does nothing when
  // everything is kept.
  absl::Status Retire();

 private:
  RunRecord& record_;
  Downstream& downstream_;
  Patience& patience_;
};

}  // namespace tidemill::supervisor
