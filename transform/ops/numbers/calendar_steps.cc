#include "transform/ops/numbers/calendar_steps.h"

#include <vector>

namespace tidemill::transform {
namespace {

using batch::DataType;

constexpr double kMicrosOfMinute = 60e6;
constexpr double kMicrosOfDay = 86'400e6;

// From 1 March of the year 0 to 1970.
constexpr double kDaysBefore1970 = 719'468;
// The calendar returns after 400 years. Years begin in March, so that a leap day is the last one.
constexpr double kDaysOf400Years = 146'097;
constexpr double kDaysToJanuary = 306;

constexpr int64_t kWeek = int64_t{7} * 86'400'000'000;
// Zones have a constant offset before.
constexpr int64_t kFirst = int64_t{-120} * 365 * 86'400'000'000;
constexpr int64_t kEnd = int64_t{230} * 365 * 86'400'000'000;

}  // namespace

CalendarSteps::CalendarSteps(PortableGraph& graph, StepId micros, const Ahead& ahead)
    : graph_(graph),
      changes_(FindChanges(ahead)),
      micros_(micros),
      local_(graph.Apply(StepKind::kAdd, micros, OffsetAt(micros))),
      days_(graph.WithNumber(StepKind::kFloorDivide, local_, kMicrosOfDay)) {}

// No clock is changed twice in a week.
CalendarSteps::ClockChanges CalendarSteps::FindChanges(const Ahead& ahead) {
  ClockChanges found{.first = ahead(kFirst)};
  int64_t before = found.first;
  for (int64_t at = kFirst; at < kEnd; at += kWeek) {
    const int64_t behind = ahead(at + kWeek);
    if (behind == before) continue;
    int64_t low = at, high = at + kWeek;  // It changes in (low, high].
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      (ahead(middle) == before ? low : high) = middle;
    }
    found.times.push_back(static_cast<double>(high));
    found.by.push_back(static_cast<double>(behind - before));
    before = behind;
  }
  return found;
}

StepId CalendarSteps::OffsetAt(StepId micros) {
  const StepId first = graph_.Number(DataType::kInt64, static_cast<double>(changes_.first));
  if (changes_.times.empty()) return first;
  const auto count = static_cast<int64_t>(changes_.times.size());
  const StepId times = graph_.Constant("clock_changes", DataType::kInt64, {count}, changes_.times);
  const StepId by = graph_.Constant("clock_changes_by", DataType::kInt64, {count}, changes_.by);
  const StepId has_come =
      graph_.Apply(StepKind::kGreaterOrEqual, graph_.Reshape(micros, {1}), times);
  const StepId changed =
      graph_.Apply(StepKind::kMultiply, graph_.Cast(has_come, DataType::kInt64), by);
  return graph_.Apply(StepKind::kAdd, graph_.Apply(StepKind::kSumOfLast, changed), first);
}

StepId CalendarSteps::Minute() {
  const StepId minutes = graph_.WithNumber(StepKind::kFloorDivide, local_, kMicrosOfMinute);
  return graph_.WithNumber(StepKind::kRemainder, minutes, 60);
}

StepId CalendarSteps::Hour() {
  const StepId hours = graph_.WithNumber(StepKind::kFloorDivide, local_, 60 * kMicrosOfMinute);
  return graph_.WithNumber(StepKind::kRemainder, hours, 24);
}

StepId CalendarSteps::Weekday() {
  // 1970 began on a Thursday.
  return graph_.WithNumber(StepKind::kRemainder, graph_.WithNumber(StepKind::kAdd, days_, 3), 7);
}

StepId CalendarSteps::WeekdayFrom1() { return graph_.WithNumber(StepKind::kAdd, Weekday(), 1); }

// As Howard Hinnant's civil_from_days().
const CalendarSteps::MarchDay& CalendarSteps::Date() {
  if (date_) return *date_;
  const auto divide = [&](StepId step, double by) {
    return graph_.WithNumber(StepKind::kFloorDivide, step, by);
  };
  const auto add = [&](StepId left, StepId right) {
    return graph_.Apply(StepKind::kAdd, left, right);
  };
  const auto subtract = [&](StepId left, StepId right) {
    return graph_.Apply(StepKind::kSubtract, left, right);
  };
  const auto times = [&](StepId step, double by) {
    return graph_.WithNumber(StepKind::kMultiply, step, by);
  };
  const StepId days = graph_.WithNumber(StepKind::kAdd, days_, kDaysBefore1970);
  const StepId era = divide(days, kDaysOf400Years);
  const StepId day_of_era = subtract(days, times(era, kDaysOf400Years));
  const StepId without_leaps =
      subtract(add(subtract(day_of_era, divide(day_of_era, 1460)), divide(day_of_era, 36'524)),
               divide(day_of_era, 146'096));
  const StepId year_of_era = divide(without_leaps, 365);
  const StepId leap_days = subtract(divide(year_of_era, 4), divide(year_of_era, 100));
  const StepId day = subtract(day_of_era, add(times(year_of_era, 365), leap_days));
  const StepId month = divide(graph_.WithNumber(StepKind::kAdd, times(day, 5), 2), 153);
  date_ = MarchDay{.year = add(year_of_era, times(era, 400)), .day = day, .month = month};
  return *date_;
}

StepId CalendarSteps::Day() {
  const auto& [year, day, month] = Date();
  const StepId five_times =
      graph_.WithNumber(StepKind::kAdd, graph_.WithNumber(StepKind::kMultiply, month, 153), 2);
  const StepId begin = graph_.WithNumber(StepKind::kFloorDivide, five_times, 5);
  return graph_.WithNumber(StepKind::kAdd, graph_.Apply(StepKind::kSubtract, day, begin), 1);
}

StepId CalendarSteps::Month() {
  const StepId shifted = graph_.WithNumber(StepKind::kAdd, Date().month, 2);
  return graph_.WithNumber(StepKind::kAdd, graph_.WithNumber(StepKind::kRemainder, shifted, 12), 1);
}

StepId CalendarSteps::Year() {
  const StepId is_next = graph_.WithNumber(StepKind::kGreaterOrEqual, Date().month, 10);
  return graph_.Apply(StepKind::kAdd, Date().year, graph_.Cast(is_next, DataType::kInt64));
}

StepId CalendarSteps::BeginOf(StepId year) {
  // The January belongs to the year that began in March before it.
  const StepId march_year = graph_.WithNumber(StepKind::kSubtract, year, 1);
  const StepId era = graph_.WithNumber(StepKind::kFloorDivide, march_year, 400);
  const StepId year_of_era = graph_.WithNumber(StepKind::kRemainder, march_year, 400);
  const StepId leap_days =
      graph_.Apply(StepKind::kSubtract, graph_.WithNumber(StepKind::kFloorDivide, year_of_era, 4),
                   graph_.WithNumber(StepKind::kFloorDivide, year_of_era, 100));
  const StepId days = graph_.Apply(
      StepKind::kAdd, graph_.WithNumber(StepKind::kMultiply, era, kDaysOf400Years),
      graph_.Apply(StepKind::kAdd, graph_.WithNumber(StepKind::kMultiply, year_of_era, 365),
                   leap_days));
  const StepId local = graph_.WithNumber(
      StepKind::kMultiply,
      graph_.WithNumber(StepKind::kAdd, days, kDaysToJanuary - kDaysBefore1970), kMicrosOfDay);
  // The offset is that of the time in UTC, which is known up to the offset.
  const StepId about = graph_.Apply(StepKind::kSubtract, local, OffsetAt(local));
  return graph_.Apply(StepKind::kSubtract, local, OffsetAt(about));
}

StepId CalendarSteps::DayOfYear() {
  const StepId year = Year();
  const StepId begin = BeginOf(year);
  const StepId local = graph_.Apply(StepKind::kAdd, begin, OffsetAt(begin));
  const StepId first = graph_.WithNumber(StepKind::kFloorDivide, local, kMicrosOfDay);
  return graph_.WithNumber(StepKind::kAdd, graph_.Apply(StepKind::kSubtract, days_, first), 1);
}

StepId CalendarSteps::YearFraction() {
  const StepId year = Year();
  const StepId begin = BeginOf(year);
  const StepId end = BeginOf(graph_.WithNumber(StepKind::kAdd, year, 1));
  const StepId passed = graph_.Apply(StepKind::kSubtract, micros_, begin);
  const StepId whole = graph_.Apply(StepKind::kSubtract, end, begin);
  return graph_.Apply(StepKind::kDivide, graph_.Cast(passed, DataType::kFloat64),
                      graph_.Cast(whole, DataType::kFloat64));
}

}  // namespace tidemill::transform
