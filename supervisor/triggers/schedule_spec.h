// Policies that look at times and counts alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "config/config.h"
#include "supervisor/triggers/calendar.h"

namespace tidemill::supervisor {

struct AmountTrigger {
  static constexpr std::string_view kType = "amount";
  static constexpr std::string_view kDoc = "Fires after every so many new samples.";
  static constexpr std::string_view kRule = "new samples >= `samples`";
  static constexpr std::string_view kPoints =
      "right after every n-th sample since the last training";
  static constexpr std::string_view kCost = "none worth naming; two numbers of state";
  int64_t samples = 1000;

  void Fields(auto&& field) {
    field("samples", samples, "New samples between two triggers.",
          {.min = 1, .required = true, .example = "2000"});
  }
};

struct TimeTrigger {
  static constexpr std::string_view kType = "time";
  static constexpr std::string_view kDoc =
      "Fires at the end of each period of event time: of a length, counted from the stream's first "
      "sample, or of the calendar. A period without samples does not fire.";
  static constexpr std::string_view kRule = "a period of event time has ended";
  static constexpr std::string_view kPoints =
      "at the end of each period that holds samples, known once a later sample or the clock has "
      "passed it";
  static constexpr std::string_view kCost = "a binary search a batch; three numbers of state";
  std::optional<std::string> every = std::nullopt;
  std::optional<CalendarUnit> calendar = std::nullopt;
  std::string time_zone = "UTC";

  void Fields(auto&& field) {
    field("every", every,
          "Length of a period, such as 7d; with `calendar` a number of days, weeks, months or "
          "years: 3 months are quarters. Required without `calendar`, else 1 by default.",
          {.example = "7d"});
    field("calendar", calendar,
          "Ends periods where those of the calendar end: at midnight, on Mondays, on the first of "
          "the month or of the year.");
    field("time_zone", time_zone,
          "Zone of the calendar, its day saving included: UTC, Asia/Shanghai, +08:00.");
  }
  void Check(config::Problems& problems) const;

  // Of a trigger without `calendar` that Check() has passed.
  Duration Length() const;
  // Of one with it.
  Calendar PeriodsOfCalendar() const;
};

struct NeverTrigger {
  static constexpr std::string_view kType = "never";
  static constexpr std::string_view kDoc =
      "Never retrains: the baseline that any other policy has to beat.";
  static constexpr std::string_view kRule = "samples >= `first`, once";
  static constexpr std::string_view kPoints = "right after the `first` sample, or nowhere";
  static constexpr std::string_view kCost = "none; two numbers of state";
  std::optional<int64_t> first = std::nullopt;

  void Fields(auto&& field) {
    field("first", first,
          "After so many samples the one model that there is to be is trained; by default none is.",
          {.min = 1, .example = "2000"});
  }
};

struct ManualTrigger {
  static constexpr std::string_view kType = "manual";
  static constexpr std::string_view kDoc =
      "Fires when somebody says so: of a live run with `tidemill trigger RUN`, which every policy "
      "obeys; at the times that are listed here.";
  static constexpr std::string_view kRule = "the time is listed, and something is new";
  static constexpr std::string_view kPoints = "at the listed times";
  static constexpr std::string_view kCost = "none; two numbers of state";
  std::vector<Timestamp> at = {};

  void Fields(auto&& field) {
    field("at", at,
          "Event times at which to fire, ascending; those without a new sample before them are "
          "passed over.",
          {.example = "[2020-01-01, 2020-03-15T12:00:00Z]"});
  }
  void Check(config::Problems& problems) const;
};

}  // namespace tidemill::supervisor
