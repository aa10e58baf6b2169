// The `trigger` section of a pipeline: when to retrain.
//
//   trigger: {type: amount, samples: 2000}
//   trigger: {type: time, every: 7d}
//   trigger: {type: time, calendar: month}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/config.h"
#include "base/time.h"
#include "supervisor/triggers/calendar.h"

namespace tidemill::supervisor {

struct AmountTrigger {
  static constexpr std::string_view kType = "amount";
  static constexpr std::string_view kDoc = "Fires after every so many new samples.";
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

// A new policy is one line here and one file beside this one.
using TriggerSpec = std::variant<AmountTrigger, TimeTrigger>;

}  // namespace tidemill::supervisor
