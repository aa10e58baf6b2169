// Distinguishes a full disk from other failures. It ends once space is freed, so it is UNAVAILABLE:
// callers that wait for an absent service wait for this, too.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill {

// Whether errno says that the disk is full, or that this user's quota is used up.
bool IsNoRoom(int error);

// UNAVAILABLE "the disk is full: <what failed>".
absl::Status DiskFull(std::string_view what);

// Whether a status comes from DiskFull(), here or in another process.
bool IsDiskFull(const absl::Status& status);

}  // namespace tidemill
