// Reads event times that are written as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "base/times/civil_time.h"
#include "base/times/time_format.h"
#include "base/times/time_zone.h"
#include "base/times/unix_time.h"

namespace tidemill {

// Reads times of one format and zone. Thread-safe.
class TimeReader {
 public:
  // INVALID_ARGUMENT when a code or the zone is unknown.
  static absl::StatusOr<TimeReader> Create(const TimeFormat& format);

  // INVALID_ARGUMENT with a reason when the text does not have the format, or is not a time.
  // NOT_FOUND with the same reason when there is nothing but blanks.
  absl::StatusOr<Timestamp> Read(std::string_view text) const;

  // Reads the time from a path by a pattern of `format`'s codes and `*`.
  absl::StatusOr<Timestamp> ReadFromPath(std::string_view path) const;

 private:
  TimeReader() = default;
  absl::StatusOr<Timestamp> ReadWritten(std::string_view text) const;
  absl::StatusOr<Timestamp> At(const CivilTime& civil, std::string_view text) const;

  std::string format_;
  TimeZone zone_;
  AmbiguousTime ambiguous_ = AmbiguousTime::kFirst;
  bool any_year_ = false;
  std::optional<UnixUnit> unit_;  // For a numeric format.
};

}  // namespace tidemill
