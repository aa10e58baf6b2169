// Limits of the process of a plug-in.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace tidemill::plugin::host {

// Limits this process permanently: memory in bytes (0 for no limit), no writing of files, no core
// dumps, no capabilities, no new privileges through executed programs. FAILED_PRECONDITION when the
// kernel refuses.
absl::Status LimitThisProcess(uint64_t memory);

}  // namespace tidemill::plugin::host
