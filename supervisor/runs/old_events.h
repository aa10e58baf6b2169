// Events as versions before 0.8 recorded them.
#pragma once

#include "tidemill/supervisor/v1/run_event.pb.h"

namespace tidemill::supervisor {

// Gives the event the form that this version records, which every reader of events may count on. An
// event of this version stays as it is.
void Renew(v1::RunEvent& event);

}  // namespace tidemill::supervisor
