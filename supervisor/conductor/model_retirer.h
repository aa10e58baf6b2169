// Removes the models and training sets that a run does not keep.
#pragma once

#include "base/status.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/steps/job_slots.h"
#include "supervisor/steps/patience.h"
#include "supervisor/steps/run_record.h"

namespace tidemill::supervisor {

// Carries out the step `retire`. Thread-compatible.
class ModelRetirer {
 public:
  // All must outlive this object.
  ModelRetirer(RunRecord& record, Downstream& downstream, JobSlots& slots, Patience& patience)
      : record_(record), downstream_(downstream), slots_(slots), patience_(patience) {}

  // Removes what the pipeline's retention does not keep, and records it. Does nothing when
  // everything is kept.
  absl::Status Retire();

 private:
  RunRecord& record_;
  Downstream& downstream_;
  JobSlots& slots_;
  Patience& patience_;
};

}  // namespace tidemill::supervisor
