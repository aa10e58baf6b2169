#include "supervisor/triggers/calendar.h"

#include "absl/time/civil_time.h"
#include "absl/time/time.h"

#include "base/times/zone_database.h"

namespace tidemill::supervisor {
namespace {

constexpr absl::CivilDay kFirstDay(1970, 1, 1);
constexpr absl::CivilDay kFirstMonday(1970, 1, 5);

int64_t FloorDivide(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

}  // namespace

struct Calendar::Zone {
  absl::TimeZone zone;
};

absl::StatusOr<Calendar> Calendar::Create(CalendarUnit unit, int64_t every,
                                          const std::string& zone) {
  if (every < 1) return InvalidArgument("a period cannot have {} units", every);
  auto named = std::make_shared<Zone>();
  ASSIGN_OR_RETURN(named->zone, LoadZone(zone));
  return Calendar(unit, every, std::move(named));
}

Calendar::Calendar(CalendarUnit unit, int64_t every, std::shared_ptr<const Zone> zone)
    : unit_(unit), every_(every), zone_(std::move(zone)) {}

int64_t Calendar::UnitOf(Timestamp time) const {
  const absl::CivilSecond local =
      absl::ToCivilSecond(absl::FromUnixMicros(time.micros), zone_->zone);
  switch (unit_) {
    case CalendarUnit::kDay:
      return absl::CivilDay(local) - kFirstDay;
    case CalendarUnit::kWeek:
      return FloorDivide(absl::CivilDay(local) - kFirstMonday, 7);
    case CalendarUnit::kMonth:
      return local.year() * 12 + local.month() - 1;
    case CalendarUnit::kYear:
      break;
  }
  return local.year();
}

Timestamp Calendar::StartOf(int64_t unit) const {
  absl::CivilDay day;
  switch (unit_) {
    case CalendarUnit::kDay:
      day = kFirstDay + unit;
      break;
    case CalendarUnit::kWeek:
      day = kFirstMonday + 7 * unit;
      break;
    case CalendarUnit::kMonth:
      day = absl::CivilDay(absl::CivilMonth(0, 1) + unit);
      break;
    case CalendarUnit::kYear:
      day = absl::CivilDay(absl::CivilYear(unit));
      break;
  }
  return {absl::ToUnixMicros(absl::FromCivil(day, zone_->zone))};
}

Period Calendar::PeriodOf(Timestamp time) const {
  const int64_t first = FloorDivide(UnitOf(time), every_) * every_;
  return {StartOf(first), StartOf(first + every_)};
}

}  // namespace tidemill::supervisor
