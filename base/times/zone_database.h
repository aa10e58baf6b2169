// The time zone database of the system.
#pragma once

#include <string>

#include "absl/time/time.h"

#include "base/status.h"

namespace tidemill {

// Returns the zone with a name such as Europe/Zurich, or with an offset such as +08:00. A name is
// never a path: it consists of at most 64 letters, digits and _+-/, and begins with a letter.
// INVALID_ARGUMENT when the database has no such zone. Users, records and callers write these
// names, so all zones are loaded here: absl::LoadTimeZone would open any path, and wait for a pipe.
// Thread-safe.
absl::StatusOr<absl::TimeZone> LoadZone(const std::string& name);

}  // namespace tidemill
