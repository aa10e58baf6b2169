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

// A duration in microseconds, written `90s`, `5m`, `2h`, `7d`.
struct Duration {
  int64_t micros = 0;

  friend auto operator<=>(const Duration&, const Duration&) = default;
};

inline Timestamp operator+(Timestamp time, Duration length) {
  return {time.micros + length.micros};
}

// A position in a dataset's stream, which is ordered by (event time, key). It is just before the
// sample that it names. An interval [from, to) of cuts therefore contains `from`'s sample and not
// `to`'s.
struct Cut {
  Timestamp event_time;
  SampleKey sample_key;

  friend auto operator<=>(const Cut&, const Cut&) = default;
};

// Parses RFC 3339 ("2026-01-31T08:00:00Z"), a date, or another way of docs/guides/times.md. A
// missing zone means UTC. Digits below a microsecond are cut off. INVALID_ARGUMENT says why.
absl::StatusOr<Timestamp> ParseTimestamp(std::string_view text);

// Returns "2026-01-31T08:00:00Z", with as many digits of fraction as needed.
std::string FormatTimestamp(Timestamp time);

// Returns "2026-01-31" when the time is midnight, else the same as FormatTimestamp(). For tables
// that people read.
std::string FormatTimestampShort(Timestamp time);

// Parses a whole or decimal number with one of the units us, ms, s, m, h, d, w. It may have a
// leading minus. INVALID_ARGUMENT names the mistake.
absl::StatusOr<Duration> ParseDuration(std::string_view text);

// Returns a whole number in the largest unit that fits, up to days: "90s", "7d". ParseDuration()
// reads it back.
std::string FormatDuration(Duration length);

// Returns the current time by the wall clock.
Timestamp Now();

}  // namespace tidemill
