// Ends a trigger without a model.
#pragma once

#include <string>

#include "base/status.h"
#include "supervisor/steps/run_record.h"

namespace tidemill::supervisor {

// Records that the trigger led to no model, at which stage and why. The run continues with the
// model that it has. `counts` holds what was counted when nothing was selected.
absl::Status SkipTrigger(RunRecord& record, const TriggerState& trigger, const std::string& stage,
                         const std::string& reason, v1::TriggerSkipped counts = {});

}  // namespace tidemill::supervisor
