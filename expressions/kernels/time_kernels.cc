#include <chrono>
#include <cmath>

#include "expressions/kernels.h"
#include "expressions/kernels/loops.h"
#include "records/time_reader.h"

namespace tidemill::expressions {

namespace {

constexpr int64_t kMicrosInSecond = 1'000'000;

// Calendars count years in 16 bits. Times further from 1970 have no parts; these are some 28,500
// years.
constexpr int64_t kMaxMicros = 900'000'000'000'000'000;
bool HasDate(int64_t micros) { return micros >= -kMaxMicros && micros <= kMaxMicros; }

// The time that a clock shows, as microseconds since 1970-01-01 of that clock.
struct Clock {
  std::chrono::sys_days day;
  int64_t micros_of_day;

  explicit Clock(int64_t local_micros) {
    const std::chrono::sys_time<std::chrono::microseconds> time{
        std::chrono::microseconds(local_micros)};
    day = std::chrono::floor<std::chrono::days>(time);
    micros_of_day = (time - day).count();
  }
  std::chrono::year_month_day date() const { return {day}; }
};

int64_t YearOf(const Clock& clock) { return static_cast<int>(clock.date().year()); }
int64_t MonthOf(const Clock& clock) { return static_cast<unsigned>(clock.date().month()); }
int64_t DayOf(const Clock& clock) { return static_cast<unsigned>(clock.date().day()); }
int64_t WeekdayOf(const Clock& clock) { return std::chrono::weekday(clock.day).iso_encoding(); }
int64_t HourOf(const Clock& clock) { return clock.micros_of_day / (3600 * kMicrosInSecond); }
int64_t MinuteOf(const Clock& clock) { return clock.micros_of_day / (60 * kMicrosInSecond) % 60; }
int64_t DayOfYearOf(const Clock& clock) {
  const auto first = clock.date().year() / std::chrono::January / 1;
  return 1 + (clock.day - std::chrono::sys_days(first)).count();
}

struct ZoneSetting : Setting {
  explicit ZoneSetting(TimeZone of) : zone(std::move(of)) {}
  const TimeZone zone;
};

struct TimeSetting : Setting {
  explicit TimeSetting(TimeReader of) : reader(std::move(of)) {}
  const TimeReader reader;
};

template <int64_t (*kPart)(const Clock&)>
void PartOfTimes(const Step& step, Registers& rows) {
  const auto* const zone = static_cast<const ZoneSetting*>(step.setting.get());
  const int64_t* const in = rows.In<int64_t>(step.from[0]);
  int64_t* const out = rows.Out<int64_t>(step.into);
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    if (!HasDate(in[i])) {
      out[i] = kNullWhole;
    } else {
      out[i] = kPart(Clock(zone == nullptr ? in[i] : zone->zone.ToLocal({in[i]})));
    }
  }
}

void ReadTimes(const Step& step, Registers& rows) {
  const TimeReader& reader = static_cast<const TimeSetting&>(*step.setting).reader;
  const auto* const in = rows.In<std::string_view>(step.from[0]);
  int64_t* const out = rows.Out<int64_t>(step.into);
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    out[i] = kNullWhole;
    if (IsNull(in[i])) continue;
    if (const auto time = reader.Read(in[i]); time.ok()) out[i] = time->micros;
  }
}

int64_t ToMicros(double seconds) {
  constexpr double kBound = 0x1p62;
  const double micros = std::round(seconds * kMicrosInSecond);
  return micros > -kBound && micros < kBound ? static_cast<int64_t>(micros) : kNullWhole;
}

template <int kSign>
void Shift(const Step& step, Registers& rows) {
  const int64_t* const times = rows.In<int64_t>(step.from[0]);
  const double* const seconds = rows.In<double>(step.from[1]);
  int64_t* const out = rows.Out<int64_t>(step.into);
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    const int64_t micros = ToMicros(seconds[i]);
    const bool known = !IsNull(times[i]) && !IsNull(micros);
    if (!known || __builtin_add_overflow(times[i], kSign * micros, &out[i])) out[i] = kNullWhole;
  }
}

}  // namespace

Step::Kernel TimePart(std::string_view name) {
  if (name == "year") return &PartOfTimes<&YearOf>;
  if (name == "month") return &PartOfTimes<&MonthOf>;
  if (name == "day") return &PartOfTimes<&DayOf>;
  if (name == "weekday") return &PartOfTimes<&WeekdayOf>;
  if (name == "hour") return &PartOfTimes<&HourOf>;
  if (name == "minute") return &PartOfTimes<&MinuteOf>;
  if (name == "day_of_year") return &PartOfTimes<&DayOfYearOf>;
  return nullptr;
}

Step::Kernel TextToTime() { return &ReadTimes; }

Step::Kernel TimeToEpoch() {
  return &MapRows<int64_t, double, [](int64_t micros) {
    return IsNull(micros) ? kNullNumber : static_cast<double>(micros) / kMicrosInSecond;
  }>;
}

Step::Kernel EpochToTime() { return &MapRows<double, int64_t, &ToMicros>; }

Step::Kernel TimeMinusTime() {
  return &MapPairs<int64_t, double, [](int64_t a, int64_t b) {
    if (IsNull(a) || IsNull(b)) return kNullNumber;
    return (static_cast<double>(a) - static_cast<double>(b)) / kMicrosInSecond;
  }>;
}

Step::Kernel TimePlusSeconds() { return &Shift<1>; }
Step::Kernel TimeMinusSeconds() { return &Shift<-1>; }

absl::StatusOr<std::shared_ptr<const Setting>> MakeTimeSetting(const std::string& format,
                                                               const std::string& zone) {
  ASSIGN_OR_RETURN(TimeReader reader, TimeReader::Create({.format = format, .time_zone = zone}));
  return std::make_shared<TimeSetting>(std::move(reader));
}

TimeZone ZoneIn(const Setting* zone) {
  return zone == nullptr ? TimeZone() : static_cast<const ZoneSetting&>(*zone).zone;
}

absl::StatusOr<std::shared_ptr<const Setting>> MakeZoneSetting(const std::string& zone) {
  ASSIGN_OR_RETURN(TimeZone made, TimeZone::Create(zone));
  return std::make_shared<ZoneSetting>(std::move(made));
}

}  // namespace tidemill::expressions
