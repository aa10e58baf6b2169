#include "supervisor/triggers/trigger_spec.h"

namespace tidemill::supervisor {
namespace {

// How many units of the calendar a period has.
absl::StatusOr<int64_t> UnitsOf(const TimeTrigger& spec) {
  return spec.every ? config::ParseCount(*spec.every) : absl::StatusOr<int64_t>(1);
}

}  // namespace

void TimeTrigger::Check(config::Problems& problems) const {
  if (!calendar) {
    if (!every) {
      problems.Add("", "has neither every nor calendar", "add every: 7d or calendar: month");
      return;
    }
    const auto length = ParseDuration(*every);
    if (!length.ok()) {
      problems.Add("every", "expected a duration such as 90s, 5m, 2h or 7d, found '" + *every + "'",
                   "write a length such as 7d");
    } else if (length->micros <= 0) {
      problems.Add("every", "is not positive", "write a length such as 7d");
    }
    return;
  }
  const auto units = UnitsOf(*this);
  if (!units.ok() || *units < 1 || *units > 10'000) {
    problems.Add("every", "expected a number of units of the calendar, found '" + *every + "'",
                 "write a number from 1 on, or leave out calendar");
    return;
  }
  if (const auto made = Calendar::Create(*calendar, *units, time_zone); !made.ok()) {
    problems.Add("time_zone", std::string(made.status().message()),
                 "write a name such as Europe/Zurich, or an offset such as +08:00");
  }
}

Duration TimeTrigger::Length() const { return *ParseDuration(*every); }

Calendar TimeTrigger::PeriodsOfCalendar() const {
  return *Calendar::Create(*calendar, *UnitsOf(*this), time_zone);
}

}  // namespace tidemill::supervisor
