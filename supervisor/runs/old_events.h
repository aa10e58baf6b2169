// Events that versions before 0.8 recorded.
#pragma once

#include "tidemill/supervisor/v1/run_event.pb.h"

namespace tidemill::supervisor {

// Converts the event to the form that this version records. Every reader of events may rely on that
// form. An event of this version does not change.
void UpgradeEvent(v1::RunEvent& event);

}  // namespace tidemill::supervisor
