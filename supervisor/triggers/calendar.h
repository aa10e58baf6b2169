// Divides time into the days, weeks, months or years of a time zone.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/time.h"
#include "config/config.h"

namespace tidemill::supervisor {

enum class CalendarUnit { kDay, kWeek, kMonth, kYear };

// The interval of time [from, to).
struct Period {
  Timestamp from;
  Timestamp to;

  friend auto operator<=>(const Period&, const Period&) = default;
};

// Finds the period that holds a time. Where a period begins depends on the calendar alone, also for
// a period of several units. Days are counted from 1970-01-01. Weeks begin on Mondays and are
// counted from 1970-01-05. Months and years are counted from year 0, so that 3 months are a quarter
// and 10 years are a decade. Clocks may skip a boundary when daylight saving begins; the boundary
// is then the moment of the skip. Immutable, so thread-safe. Cheap to copy.
class Calendar {
 public:
  // `zone` is a name such as Asia/Shanghai or an offset such as +08:00. INVALID_ARGUMENT for an
  // unknown zone, or when `every` is below 1.
  static absl::StatusOr<Calendar> Create(CalendarUnit unit, int64_t every, const std::string& zone);

  // Returns the period that holds `time`.
  Period PeriodOf(Timestamp time) const;

 private:
  struct Zone;
  Calendar(CalendarUnit unit, int64_t every, std::shared_ptr<const Zone> zone);
  // UnitOf() returns the number of the unit that holds a time, counted as above. StartOf() returns
  // the time at which a unit begins.
  int64_t UnitOf(Timestamp time) const;
  Timestamp StartOf(int64_t unit) const;

  CalendarUnit unit_;
  int64_t every_;
  std::shared_ptr<const Zone> zone_;  // The copies share it.
};

}  // namespace tidemill::supervisor

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::CalendarUnit> {
  static constexpr std::pair<tidemill::supervisor::CalendarUnit, std::string_view> kNames[] = {
      {tidemill::supervisor::CalendarUnit::kDay, "day"},
      {tidemill::supervisor::CalendarUnit::kWeek, "week"},
      {tidemill::supervisor::CalendarUnit::kMonth, "month"},
      {tidemill::supervisor::CalendarUnit::kYear, "year"}};
};
