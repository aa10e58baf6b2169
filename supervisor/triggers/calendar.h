// Time cut into days, weeks, months or years of some time zone.
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

// A stretch of time, [from, to).
struct Period {
  Timestamp from;
  Timestamp to;

  friend auto operator<=>(const Period&, const Period&) = default;
};

// Where a period of several units begins depends on the calendar alone: days are counted from
// 1970-01-01, weeks, which begin on Mondays, from 1970-01-05, months and years from year 0, so that
// 3 months are quarters and 10 years are decades. A boundary that the zone's clocks skip is the
// moment of the skip. Immutable, so thread-safe; cheap to copy.
class Calendar {
 public:
  // `zone` is a name such as Asia/Shanghai or an offset such as +08:00. INVALID_ARGUMENT for an
  // unknown zone or `every` below 1.
  static absl::StatusOr<Calendar> Create(CalendarUnit unit, int64_t every, const std::string& zone);

  // The period that holds a time.
  Period PeriodOf(Timestamp time) const;

 private:
  struct Zone;
  Calendar(CalendarUnit unit, int64_t every, std::shared_ptr<const Zone> zone);
  // Which unit a time lies in, counted as said above, and when a unit begins.
  int64_t UnitOf(Timestamp time) const;
  Timestamp StartOf(int64_t unit) const;

  CalendarUnit unit_;
  int64_t every_;
  std::shared_ptr<const Zone> zone_;  // Shared by copies.
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
