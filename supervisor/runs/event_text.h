// Events in words.
#pragma once

#include <cstdint>
#include <string>

#include "tidemill/supervisor/v1/run_event.pb.h"

namespace tidemill::supervisor {

// Returns the kind of an event as in the database: "trigger_fired".
std::string TypeOf(const v1::RunEvent& event);

// Returns the trigger of an event, 0 for none.
int64_t TriggerNumberOf(const v1::RunEvent& event);

// Returns one line for people.
std::string TextOf(const v1::RunEvent& event);

}  // namespace tidemill::supervisor
