// A time in a configuration that need not name its zone.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"

namespace tidemill {

// Until SetZone(), a time that names no zone is in UTC.
struct ClockTime : Timestamp {
  bool names_zone = true;

  // Puts a time that names no zone on the clock of that zone. INVALID_ARGUMENT when the zone is
  // unknown, or its clock is set forward over the time. An ambiguous time means the first one.
  absl::Status SetZone(const std::string& zone);
};

// Reads a time as ParseTimestamp() does.
absl::StatusOr<ClockTime> ParseClockTime(std::string_view text);

// Returns a text that ParseClockTime() reads to the same value.
std::string FormatClockTime(const ClockTime& time);

}  // namespace tidemill
