// Times that are numbers: a count of units since 1970-01-01 UTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "base/time.h"

namespace tidemill {

struct UnixUnit {
  std::string_view format;  // "unix_ms"
  std::string_view name;    // "milliseconds"
  int64_t nanos = 0;        // In one unit.
};

// Returns the unit of a format such as `unix_ms`. std::nullopt for another format.
std::optional<UnixUnit> UnixUnitOf(std::string_view format);

// Returns the unit that puts a number between the years 1980 and 2200. There is at most one.
// std::nullopt when there is none, or `text` is not a number.
std::optional<UnixUnit> LikelyUnixUnit(std::string_view text);

// Reads a number of units. It may have a fraction; digits below a microsecond are cut off in a
// whole number and rounded in a fraction. INVALID_ARGUMENT when it is not a number; also when the
// time is before the year 1000 or from 3000 on, unless `any_year`: then the unit is most likely
// another one, which the message names.
absl::StatusOr<Timestamp> ReadUnixTime(std::string_view text, const UnixUnit& unit, bool any_year);

}  // namespace tidemill
