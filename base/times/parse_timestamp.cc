// Defines ParseTimestamp() of base/time.h, whose reader is here.
#include "base/printable.h"
#include "base/time.h"
#include "base/times/civil_time.h"
#include "base/times/time_zone.h"

namespace tidemill {

absl::StatusOr<Timestamp> ParseTimestamp(std::string_view text) {
  ASSIGN_OR_RETURN(const CivilTime civil, ParseCivilTime(text));
  auto time = ToTimestamp(civil, TimeZone(), AmbiguousTime::kFirst);
  if (!time.ok()) return Annotate(time.status(), fmt::format("{} is not a time", Quoted(text)));
  return time;
}

}  // namespace tidemill
