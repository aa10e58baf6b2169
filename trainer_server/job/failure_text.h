// The text with which a job reports its failure.
#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"

namespace tidemill::trainer_server {

// Returns the failure's message, followed by the traceback of the plug-in if a plug-in failed. At
// most `most` bytes: cuts the end of the message or the beginning of the traceback, because the
// last lines of a traceback say most.
std::string TextOf(const absl::Status& failure, size_t most);

}  // namespace tidemill::trainer_server
