// A full disk, told apart from other failures wherever it is noticed. It passes once somebody makes
// room, so it is UNAVAILABLE: whoever waits for a service that is away waits for this, too.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill {

// Whether errno says that the disk, or this user's share of it, has no room left.
bool IsNoRoom(int error);

// UNAVAILABLE "the disk is full: <what failed>".
absl::Status DiskFull(std::string_view what);

// Whether a status comes from DiskFull(), here or in another process.
bool IsDiskFull(const absl::Status& status);

}  // namespace tidemill
