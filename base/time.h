// Points in time and positions in a stream.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/id.h"
#include "base/status.h"

namespace tidemill {

// Microseconds since 1970-01-01 UTC: the only representation of time in memory and in bulk data.
struct Timestamp {
  int64_t micros = 0;

  friend auto operator<=>(const Timestamp&, const Timestamp&) = default;
};

// A length of time in microseconds, as written `90s`, `5m`, `2h`, `7d`.
struct Duration {
  int64_t micros = 0;

  friend auto operator<=>(const Duration&, const Duration&) = default;
};

inline Timestamp operator+(Timestamp time, Duration length) {
  return {time.micros + length.micros};
}

// A position in a dataset's stream, which is ordered by (event time, key). It lies before the
// sample it names, so an interval [from, to) of cuts holds `from`'s sample and not `to`'s.
struct Cut {
  Timestamp event_time;
  SampleKey sample_key;

  friend auto operator<=>(const Cut&, const Cut&) = default;
};

// Parses RFC 3339 ("2026-01-31T08:00:00Z", a space for the T, a missing zone read as UTC, up to
// six digits of fraction) or a plain date. INVALID_ARGUMENT names what is wrong.
absl::StatusOr<Timestamp> ParseTimestamp(std::string_view text);

// "2026-01-31T08:00:00Z", with as many digits of fraction as are needed.
std::string FormatTimestamp(Timestamp time);

// "2026-01-31" when the time is midnight, else as FormatTimestamp: for tables that people read.
std::string FormatTimestampShort(Timestamp time);

// Parses a whole or decimal number with one of the units us, ms, s, m, h, d, w; a leading minus is
// read. INVALID_ARGUMENT names what is wrong.
absl::StatusOr<Duration> ParseDuration(std::string_view text);

// Whole numbers of the largest unit up to days, which ParseDuration reads back: "90s", "7d".
std::string FormatDuration(Duration length);

// Now, by the wall clock.
Timestamp Now();

}  // namespace tidemill
