// What a job says of its failure.
#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"

namespace tidemill::trainer_server {

// Returns the failure's message, and behind it the traceback of the plug-in whose fault it is, if
// it is one's. At most `most` bytes. What is too long loses the end of the message, or the
// beginning of the traceback: its last lines say most.
std::string TextOf(const absl::Status& failure, size_t most);

}  // namespace tidemill::trainer_server
