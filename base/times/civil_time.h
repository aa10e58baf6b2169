// Times as people and programs write them: the parts of a time in a text, and the rules by which
// they are read. docs/guides/times.md documents the rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "base/time.h"

namespace tidemill {

inline constexpr int64_t kMicrosInSecond = 1'000'000;

// A time on the calendar and the clock, as written.
struct CivilTime {
  int year = 1970;
  int month = 1;
  int day = 1;
  int day_of_year = 0;  // 0 when month and day are set.
  int hour = 0;
  int minute = 0;
  int second = 0;  // 60 in a leap second.
  int micros = 0;
  std::optional<int> weekday;         // From 0, Sunday.
  std::optional<bool> afternoon;      // Whether PM or AM follows an hour of 1 to 12.
  std::optional<int> offset_seconds;  // East of UTC.
  std::string_view zone_name;         // "Europe/Zurich": a part of the text that was read.
};

// Each of these takes one part off the front of `text`. It returns false when the part is not
// there; `text` and the result are then undefined.

// Exactly `count` digits.
bool TakeDigits(std::string_view& text, size_t count, int& number);
// One digit to `most` digits.
bool TakeNumber(std::string_view& text, size_t most, int& number);
// The digits after a point, of which those after the sixth are cut off.
bool TakeFraction(std::string_view& text, int& micros);
// A full English name or its first three letters, in any case.
bool TakeMonth(std::string_view& text, int& month);
bool TakeWeekday(std::string_view& text, std::optional<int>& weekday);
// AM or PM, in any case.
bool TakeMeridiem(std::string_view& text, std::optional<bool>& afternoon);
// Z, +08, +0800, +08:00 or +08:00:00.
bool TakeOffset(std::string_view& text, std::optional<int>& seconds);
// UTC, GMT, UT, each perhaps followed by an offset, or a name with a slash. An abbreviation such
// as CET is refused, because it may mean several zones.
bool TakeZoneName(std::string_view& text, CivilTime& civil);

// Reads a time in one of the notations that need no format. The result may refer to `text`.
// INVALID_ARGUMENT says what is wrong.
absl::StatusOr<CivilTime> ParseCivilTime(std::string_view text);

// Returns the microseconds from 1970-01-01 on the same clock to the time, whatever its zone. The
// second 60 counts as the one after it. INVALID_ARGUMENT names the part that the calendar or the
// clock does not have, without the text.
absl::StatusOr<int64_t> LocalMicros(const CivilTime& civil);

// INVALID_ARGUMENT when the second is 60 and `utc`, the one after it, does not follow a second that
// may be a leap second.
absl::Status CheckLeapSecond(const CivilTime& civil, Timestamp utc);

}  // namespace tidemill
