// Time zones, and the rules for local times that occur twice or never.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "base/times/civil_time.h"

namespace tidemill {

// Which of two instants is meant by a local time that occurs twice because the clock is set back.
enum class AmbiguousTime { kFirst, kSecond, kBad };

struct NamedZone;  // A zone of the time zone database.

// Thread-safe, because it is immutable. Copies are cheap.
class TimeZone {
 public:
  // UTC.
  TimeZone() = default;
  // UTC, an offset such as +08:00, or a name such as Europe/Zurich. INVALID_ARGUMENT when the zone
  // is unknown.
  static absl::StatusOr<TimeZone> Create(const std::string& name);

  // Returns the instant of a time on the clock of this zone. INVALID_ARGUMENT says, without the
  // text, why there is none: the clock is set forward over the time, or is set back and the rule is
  // kBad.
  absl::StatusOr<Timestamp> ToUtc(int64_t local_micros, AmbiguousTime rule) const;

  // Returns the first instant at which the clock of this zone shows that time or a later one.
  Timestamp FirstAtOrAfter(int64_t local_micros) const;

  // Returns the time that the clock of this zone shows, as microseconds since 1970-01-01 of that
  // clock.
  int64_t ToLocal(Timestamp time) const;

 private:
  int offset_seconds_ = 0;
  std::shared_ptr<const NamedZone> named_;  // nullptr when the offset is fixed.
};

// Returns the instant of a time. Its own offset or zone takes precedence over `zone`.
// INVALID_ARGUMENT says why there is none, without the text.
absl::StatusOr<Timestamp> ToTimestamp(const CivilTime& civil, const TimeZone& zone,
                                      AmbiguousTime rule);

}  // namespace tidemill
