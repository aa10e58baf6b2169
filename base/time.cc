#include "base/time.h"

#include <array>

namespace tidemill {
namespace {

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kDay = 86'400 * kSecond;

struct Unit {
  std::string_view name;
  int64_t micros;
};
constexpr std::array<Unit, 7> kUnits = {{{"w", 7 * kDay},
                                         {"d", kDay},
                                         {"h", 3'600 * kSecond},
                                         {"m", 60 * kSecond},
                                         {"s", kSecond},
                                         {"ms", 1'000},
                                         {"us", 1}}};

// After Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms". std::chrono's years end at
// 32767.
struct Date {
  int64_t year, month, day;
};

Date DateOf(int64_t days) {
  days += 719'468;
  const int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const int64_t day_of_era = days - era * 146'097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted = (5 * day_of_year + 2) / 153;
  const int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
          day_of_year - (153 * shifted + 2) / 5 + 1};
}

}  // namespace

std::string FormatTimestamp(Timestamp time) {
  const int64_t days = time.micros / kDay - (time.micros % kDay < 0 ? 1 : 0);
  const Date date = DateOf(days);
  // Not time.micros - days * kDay, which overflows next to the least integer.
  const int64_t of_day = (time.micros % kDay + kDay) % kDay;
  const int64_t seconds = of_day / kSecond;
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", date.year, date.month,
                                 date.day, seconds / 3'600, seconds / 60 % 60, seconds % 60);
  if (const int64_t fraction = of_day % kSecond; fraction != 0) {
    text += fmt::format(".{:06}", fraction);
    while (text.back() == '0') text.pop_back();
  }
  return text + "Z";
}

std::string FormatTimestampShort(Timestamp time) {
  std::string text = FormatTimestamp(time);
  if (time.micros % kDay == 0) text.resize(text.find('T'));
  return text;
}

absl::StatusOr<Duration> ParseDuration(std::string_view text) {
  const auto wrong = [&](std::string_view reason) {
    return InvalidArgument("\"{}\" is not a duration: {}", text, reason);
  };
  const bool negative = !text.empty() && text.front() == '-';
  const std::string_view body = text.substr(negative ? 1 : 0);
  const size_t digits_end = body.find_first_not_of("0123456789.");
  const std::string_view number = body.substr(0, digits_end);
  const std::string_view unit_name =
      digits_end == std::string_view::npos ? std::string_view() : body.substr(digits_end);
  const size_t point = number.find('.');
  const std::string_view whole = number.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : number.substr(point + 1);
  if (whole.empty() || (point != std::string_view::npos && fraction.empty()) ||
      fraction.find('.') != std::string_view::npos) {
    return wrong("it does not begin with a number like 90 or 1.5");
  }
  const Unit* unit = nullptr;
  for (const Unit& candidate : kUnits) {
    if (candidate.name == unit_name) unit = &candidate;
  }
  if (unit == nullptr) return wrong("the unit is not one of us, ms, s, m, h, d, w");
  __extension__ using Wide = __int128;
  constexpr Wide kMax = INT64_MAX;
  Wide micros = 0;
  for (const char digit : whole) {
    micros = micros * 10 + Wide{digit - '0'} * unit->micros;
    if (micros > kMax) return wrong("it is too long");
  }
  Wide place = unit->micros;
  for (const char digit : fraction) {
    if (digit != '0' && place % 10 != 0) return wrong("it is finer than a microsecond");
    place /= 10;
    micros += Wide{digit - '0'} * place;
  }
  if (micros > kMax) return wrong("it is too long");
  return Duration{static_cast<int64_t>(negative ? -micros : micros)};
}

std::string FormatDuration(Duration length) {
  if (length.micros == 0) return "0s";
  for (const Unit& unit : kUnits) {
    if (unit.name == "w" || length.micros % unit.micros != 0) continue;
    return fmt::format("{}{}", length.micros / unit.micros, unit.name);
  }
  return fmt::format("{}us", length.micros);
}

Timestamp Now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count()};
}

}  // namespace tidemill
