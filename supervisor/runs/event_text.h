// How an event reads.
#pragma once

#include <cstdint>
#include <string>

#include "tidemill/supervisor/v1/run_event.pb.h"

namespace tidemill::supervisor {

// The kind of an event as it stands in the database: "trigger_fired".
std::string TypeOf(const v1::RunEvent& event);

// The trigger that an event is about, 0 for none.
int64_t TriggerOf(const v1::RunEvent& event);

// One line for people.
std::string TextOf(const v1::RunEvent& event);

}  // namespace tidemill::supervisor
