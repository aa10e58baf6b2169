// Retrains at the end of a period of event time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "config/config.h"
#include "config/remark.h"
#include "supervisor/triggers/calendar.h"
#include "supervisor/triggers/trigger.h"

namespace tidemill::supervisor {

struct TimeTrigger {
  static constexpr std::string_view kType = "time";
  static constexpr std::string_view kDoc =
      "Fires at the end of each period of event time. Periods have a fixed length, counted from "
      "the stream's first sample, or follow the calendar. A period without samples does not fire.";
  static constexpr std::string_view kRule =
      "a period of event time has ended; for the first training, with `first`: and samples >= "
      "`first`";
  static constexpr std::string_view kPoints =
      "at the end of each period that holds samples, known once a later sample or the clock has "
      "passed it";
  static constexpr std::string_view kCost = "a binary search for each batch; four numbers of state";
  static constexpr std::string_view kSource = "";
  std::optional<std::string> every = std::nullopt;
  std::optional<CalendarUnit> calendar = std::nullopt;
  std::string time_zone = {};
  std::optional<int64_t> first = std::nullopt;

  void Fields(auto&& field) {
    field("every", every,
          "Length of a period, such as 7d. With `calendar`, a number of days, weeks, months or "
          "years; 3 months are quarters. Required without `calendar`, else 1 by default.",
          {.example = "7d"});
    field("calendar", calendar,
          "Ends periods where periods of the calendar end: at midnight, on Mondays, on the first "
          "of the month or of the year.");
    field("time_zone", time_zone,
          "Time zone of the calendar, with its daylight saving time: UTC, Asia/Shanghai, +08:00. "
          "Empty: that of the dataset, `event_time.time_zone`.");
    field("first", first,
          "The first training waits for the end of a period by which this many samples have come, "
          "so that the model that others are compared with has not seen a handful only. By default "
          "the first period starts it, however few samples it has.",
          {.min = 1, .example = "2000"});
  }
  void Check(config::Problems& problems) const;
  void TakeClock(const std::string& zone) {
    if (time_zone.empty()) time_zone = calendar ? zone : "UTC";
  }

  // The length of a period. The trigger has no `calendar`, and Check() has accepted it.
  Duration Length() const;
  // The periods of a trigger that has a `calendar`.
  Calendar PeriodsOfCalendar() const;
};

std::unique_ptr<TriggerPolicy> MakePolicy(const TimeTrigger& spec);
Verdict Judge(const TimeTrigger& spec, const Observed& observed);
std::string Explain(const TimeTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const TimeTrigger& spec);

template <>
class TriggerOf<TimeTrigger> final : public RuleTrigger<TimeTrigger> {
 public:
  std::vector<config::Remark> Advise(const StreamFacts& stream) const override;
};

}  // namespace tidemill::supervisor
