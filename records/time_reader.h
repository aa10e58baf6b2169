// Reads event times that are written as text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"

namespace tidemill {

// A time on the clock and the calendar, as written.
struct CivilTime {
  int year = 1970;
  int month = 1;
  int day = 1;
  int day_of_year = 0;  // 0 when month and day are set.
  int hour = 0;
  int minute = 0;
  int second = 0;
  int micros = 0;
  std::optional<int> offset_minutes;  // East of UTC, if the text has it.
};

struct NamedZone;  // A zone of the time zone database.

// Reads times of one format and zone; see EventTimeSpec. Thread-safe.
class TimeReader {
 public:
  // INVALID_ARGUMENT when a code or the zone is unknown.
  static absl::StatusOr<TimeReader> Create(std::string format, const std::string& zone);

  // INVALID_ARGUMENT with a reason when the text does not have the format.
  absl::StatusOr<Timestamp> Read(std::string_view text) const;

  // Reads the time from a path by a pattern of `format`'s codes and `*`.
  absl::StatusOr<Timestamp> ReadFromPath(std::string_view path) const;

 private:
  TimeReader() = default;
  std::optional<Timestamp> ToTimestamp(const CivilTime& civil) const;
  int64_t ToUtc(int64_t local_micros) const;

  std::string format_;
  int fixed_offset_minutes_ = 0;
  std::shared_ptr<const NamedZone> named_zone_;  // Immutable. nullptr when the offset is fixed.
};

}  // namespace tidemill
