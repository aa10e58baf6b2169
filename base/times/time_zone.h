// Zones of time, and what becomes of local times that come twice or never.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "base/times/civil_time.h"

namespace tidemill {

// Which of two instants a local time means that comes twice, because the clock is set back.
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

  // Returns the instant of a time on the clock of this zone. INVALID_ARGUMENT says why there is
  // none, without the text: the clock is set forward over it, or back and the rule is kBad.
  absl::StatusOr<Timestamp> ToUtc(int64_t local_micros, AmbiguousTime rule) const;

  // Returns what the clock of this zone shows, as microseconds since 1970-01-01 of that clock.
  int64_t ToLocal(Timestamp time) const;

 private:
  int offset_seconds_ = 0;
  std::shared_ptr<const NamedZone> named_;  // nullptr when the offset is fixed.
};

// Returns the instant of a time. Its own offset or zone precedes `zone`. INVALID_ARGUMENT says why
// there is none, without the text.
absl::StatusOr<Timestamp> ToTimestamp(const CivilTime& civil, const TimeZone& zone,
                                      AmbiguousTime rule);

}  // namespace tidemill
