#include "base/times/clock_time.h"

#include "base/printable.h"
#include "base/times/civil_time.h"
#include "base/times/time_zone.h"

namespace tidemill {

absl::Status ClockTime::SetZone(const std::string& zone) {
  if (names_zone) return absl::OkStatus();
  ASSIGN_OR_RETURN(const TimeZone clock, TimeZone::Create(zone));
  ASSIGN_OR_RETURN(const Timestamp time, clock.ToUtc(micros, AmbiguousTime::kFirst));
  *this = {{time.micros}, /*names_zone=*/true};
  return absl::OkStatus();
}

absl::StatusOr<ClockTime> ParseClockTime(std::string_view text) {
  ASSIGN_OR_RETURN(const CivilTime civil, ParseCivilTime(text));
  const auto time = ToTimestamp(civil, TimeZone(), AmbiguousTime::kFirst);
  if (!time.ok()) return Annotate(time.status(), fmt::format("{} is not a time", Quoted(text)));
  return ClockTime{{time->micros}, civil.offset_seconds || !civil.zone_name.empty()};
}

std::string FormatClockTime(const ClockTime& time) {
  std::string text = FormatTimestamp(time);
  if (!time.names_zone) text.pop_back();  // The Z.
  return text;
}

}  // namespace tidemill
