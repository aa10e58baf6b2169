// How an evaluation divides its dataset into windows. Windows may overlap. Each is measured
// separately.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "base/times/clock_time.h"
#include "base/times/time_zone.h"
#include "config/config.h"

namespace tidemill::evaluator {

// The most windows of an evaluation. Each window costs every model one pass over its samples.
inline constexpr int64_t kMaxWindows = 10'000;

// One window from each trigger to the next: the samples that the model of a trigger met while it
// was in use.
struct BetweenTriggers {
  static constexpr std::string_view kType = "between_triggers";
  static constexpr std::string_view kDoc =
      "From each trigger to the next one, and from the last one to the end.";
  void Fields(auto&&) {}
  friend bool operator==(const BetweenTriggers&, const BetweenTriggers&) = default;
};

// One window with the whole dataset.
struct Whole {
  static constexpr std::string_view kType = "whole";
  static constexpr std::string_view kDoc = "The whole dataset as one window, as for a test set.";
  void Fields(auto&&) {}
  friend bool operator==(const Whole&, const Whole&) = default;
};

// Windows of equal length in event time.
struct Slices {
  static constexpr std::string_view kType = "slices";
  static constexpr std::string_view kDoc =
      "Windows of equal length. The first one begins at the dataset's first event.";

  Duration every;

  void Fields(auto&& field) {
    field("every", every, "Length of a window in event time.", {.required = true, .example = "7d"});
  }
  void Check(config::Problems& problems) const {
    if (every.micros <= 0) problems.Add("every", "must be positive", "write a length such as 7d");
  }
  friend bool operator==(const Slices&, const Slices&) = default;
};

enum class CalendarUnit { kMonth, kYear };

// Windows that begin at round times.
struct Periodic {
  static constexpr std::string_view kType = "periodic";
  static constexpr std::string_view kDoc =
      "Windows that begin at regular times, counted from a round time on a clock. They overlap if "
      "they are longer than the time between two beginnings. The first window is the last one that "
      "begins at or before the dataset's first event.";

  std::optional<Duration> every = std::nullopt;
  std::optional<CalendarUnit> calendar = std::nullopt;
  Duration offset = {};
  std::optional<Duration> length = std::nullopt;
  std::optional<std::string> time_zone = std::nullopt;

  void Fields(auto&& field) {
    field(
        "every", every,
        "Time between two beginnings, counted from 1970-01-01. A whole number of days follows the "
        "clock through daylight saving time; any other length stays what it is.",
        {.example = "7d"});
    field("calendar", calendar, "Instead of `every`: a window begins with each month or year.");
    field("offset", offset, "Moves every beginning by this much.", {.example = "6h"});
    field("length", length,
          "Length of a window. By default a window ends where the next one begins.",
          {.example = "30d"});
    field("time_zone", time_zone,
          "Zone of the clock: UTC, Asia/Shanghai, +08:00. By default that of the dataset, "
          "`event_time.time_zone`.");
  }
  void TakeClock(const std::string& zone) {
    if (!time_zone && zone != "UTC") time_zone = zone;
  }
  void Check(config::Problems& problems) const {
    if (every.has_value() == calendar.has_value()) {
      problems.Add("", "needs either `every` or `calendar`", "write every: 7d or calendar: month");
    }
    if (every && every->micros <= 0) {
      problems.Add("every", "must be positive", "write a length such as 7d");
    }
    if (length && length->micros <= 0) {
      problems.Add("length", "must be positive", "write a length such as 30d");
    }
    if (const auto zone = TimeZone::Create(time_zone.value_or("UTC")); !zone.ok()) {
      problems.Add("time_zone", std::string(zone.status().message()), "");
    }
  }
  friend bool operator==(const Periodic&, const Periodic&) = default;
};

struct TimeInterval {
  ClockTime from;
  ClockTime to;

  void Fields(auto&& field) {
    field("from", from, "The first moment of the interval.",
          {.required = true, .example = "2018-01-01"});
    field("to", to, "The first moment after the interval.",
          {.required = true, .example = "2018-04-01"});
  }
  void Check(config::Problems& problems) const {
    if (to <= from) problems.Add("to", "must be later than `from`", "swap them or correct one");
  }
  friend auto operator<=>(const TimeInterval&, const TimeInterval&) = default;
};

// Windows that the user names.
struct Intervals {
  static constexpr std::string_view kType = "intervals";
  static constexpr std::string_view kDoc =
      "The listed intervals, as far as the dataset has data there. They may overlap.";

  std::vector<TimeInterval> intervals;

  void Fields(auto&& field) {
    field("intervals", intervals, "The windows.",
          {.required = true,
           .example = "[{from: 2018-01-01, to: 2018-04-01}]",
           .min_items = 1,
           .max_items = kMaxWindows});
  }
  void Check(config::Problems& problems) const {
    if (std::set<TimeInterval>(intervals.begin(), intervals.end()).size() < intervals.size()) {
      problems.Add("intervals", "has one twice", "remove one");
    }
  }
  friend bool operator==(const Intervals&, const Intervals&) = default;
};

// One window for each trigger, relative to its cut.
struct AroundTriggers {
  static constexpr std::string_view kType = "around_triggers";
  static constexpr std::string_view kDoc =
      "For each trigger, the time from a given distance before its cut to a given distance after "
      "it. Windows of close triggers overlap.";

  Duration from;
  Duration to;

  void Fields(auto&& field) {
    field("from", from, "Where a window begins, counted from the cut. Negative: before the cut.",
          {.example = "-7d"});
    field("to", to, "Where a window ends, counted from the cut.",
          {.required = true, .example = "14d"});
  }
  void Check(config::Problems& problems) const {
    if (to <= from) problems.Add("to", "must be later than `from`", "such as from: -7d, to: 14d");
  }
  friend bool operator==(const AroundTriggers&, const AroundTriggers&) = default;
};

using WindowsSpec =
    std::variant<BetweenTriggers, Whole, Slices, Periodic, Intervals, AroundTriggers>;

}  // namespace tidemill::evaluator

template <>
struct tidemill::config::EnumNames<tidemill::evaluator::CalendarUnit> {
  static constexpr std::pair<tidemill::evaluator::CalendarUnit, std::string_view> kNames[] = {
      {tidemill::evaluator::CalendarUnit::kMonth, "month"},
      {tidemill::evaluator::CalendarUnit::kYear, "year"},
  };
};
