// What the process of a plug-in may have.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace tidemill::plugin::host {

// Limits this process for good: memory in bytes (0 for no limit), no files written, no core, no
// capabilities, no more rights through programs that it executes. FAILED_PRECONDITION where the
// kernel refuses.
absl::Status LimitThisProcess(uint64_t memory);

}  // namespace tidemill::plugin::host
