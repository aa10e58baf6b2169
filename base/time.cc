#include "base/time.h"

#include <array>
#include <optional>
#include <utility>

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

// The days since 1970-01-01 of a date in the Gregorian calendar, and back. After Howard Hinnant,
// "chrono-Compatible Low-Level Date Algorithms".
int64_t DaysOf(int64_t year, int64_t month, int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719'468;
}

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

int64_t DaysInMonth(int64_t year, int64_t month) {
  return DaysOf(month == 12 ? year + 1 : year, month == 12 ? 1 : month + 1, 1) -
         DaysOf(year, month, 1);
}

// Takes pieces off the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool AtEnd() const { return rest_.empty(); }

  bool Take(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool TakeAny(std::string_view wanted) {
    if (rest_.empty() || wanted.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Exactly `count` digits.
  std::optional<int64_t> Number(size_t count) {
    if (LeadingDigits() < count) return std::nullopt;
    int64_t value = 0;
    for (const char digit : rest_.substr(0, count)) value = value * 10 + (digit - '0');
    rest_.remove_prefix(count);
    return value;
  }

  // One to six digits after the point, as microseconds.
  std::optional<int64_t> Fraction() {
    const size_t count = LeadingDigits();
    if (count == 0 || count > 6) return std::nullopt;
    int64_t value = *Number(count);
    for (size_t i = count; i < 6; ++i) value *= 10;
    return value;
  }

 private:
  size_t LeadingDigits() const {
    size_t count = 0;
    while (count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') ++count;
    return count;
  }

  std::string_view rest_;
};

absl::Status NotATime(std::string_view text, std::string_view reason) {
  return InvalidArgument("\"{}\" is not a time: {}", text, reason);
}

absl::StatusOr<int64_t> ScanDate(Scanner& scanner, std::string_view text) {
  const auto year = scanner.Number(4);
  const bool dash = scanner.Take('-');
  const auto month = scanner.Number(2);
  const bool second_dash = scanner.Take('-');
  const auto day = scanner.Number(2);
  if (!year || !dash || !month || !second_dash || !day) {
    return NotATime(text, "it does not begin with a date like 2026-01-31");
  }
  if (*month < 1 || *month > 12) return NotATime(text, "the month is not 01 to 12");
  if (*day < 1 || *day > DaysInMonth(*year, *month)) {
    return NotATime(text, "the month has no such day");
  }
  return DaysOf(*year, *month, *day) * kDay;
}

// The time of day, up to its fraction.
absl::StatusOr<int64_t> ScanTimeOfDay(Scanner& scanner, std::string_view text) {
  const auto hour = scanner.Number(2);
  const bool colon = scanner.Take(':');
  const auto minute = scanner.Number(2);
  const bool second_colon = scanner.Take(':');
  const auto second = scanner.Number(2);
  if (!hour || !colon || !minute || !second_colon || !second) {
    return NotATime(text, "the time of day does not look like 08:00:00");
  }
  if (*hour > 23) return NotATime(text, "the hour is not 00 to 23");
  if (*minute > 59) return NotATime(text, "the minute is not 00 to 59");
  if (*second > 59) return NotATime(text, "the second is not 00 to 59");
  int64_t micros = ((*hour * 60 + *minute) * 60 + *second) * kSecond;
  if (scanner.Take('.')) {
    const auto fraction = scanner.Fraction();
    if (!fraction) return NotATime(text, "the fraction does not have one to six digits");
    micros += *fraction;
  }
  return micros;
}

// How far the zone is ahead of UTC.
absl::StatusOr<int64_t> ScanZone(Scanner& scanner, std::string_view text) {
  if (scanner.AtEnd() || scanner.TakeAny("Zz")) return 0;
  const bool ahead = scanner.Take('+');
  if (!ahead && !scanner.Take('-')) {
    return NotATime(text, "the zone is neither Z nor an offset like +02:00");
  }
  const auto hours = scanner.Number(2);
  const bool colon = scanner.Take(':');
  const auto minutes = scanner.Number(2);
  if (!hours || !colon || !minutes || *hours > 23 || *minutes > 59) {
    return NotATime(text, "the zone is neither Z nor an offset like +02:00");
  }
  return (ahead ? 1 : -1) * (*hours * 60 + *minutes) * 60 * kSecond;
}

}  // namespace

absl::StatusOr<Timestamp> ParseTimestamp(std::string_view text) {
  Scanner scanner(text);
  ASSIGN_OR_RETURN(int64_t micros, ScanDate(scanner, text));
  if (scanner.AtEnd()) return Timestamp{micros};
  if (!scanner.TakeAny("Tt ")) return NotATime(text, "neither T nor a space follows the date");
  ASSIGN_OR_RETURN(const int64_t time_of_day, ScanTimeOfDay(scanner, text));
  ASSIGN_OR_RETURN(const int64_t ahead, ScanZone(scanner, text));
  if (!scanner.AtEnd()) return NotATime(text, "there is text after the zone");
  return Timestamp{micros + time_of_day - ahead};
}

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
  constexpr Wide kMost = INT64_MAX;
  Wide micros = 0;
  for (const char digit : whole) {
    micros = micros * 10 + Wide{digit - '0'} * unit->micros;
    if (micros > kMost) return wrong("it is too long");
  }
  Wide place = unit->micros;
  for (const char digit : fraction) {
    if (digit != '0' && place % 10 != 0) return wrong("it is finer than a microsecond");
    place /= 10;
    micros += Wide{digit - '0'} * place;
  }
  if (micros > kMost) return wrong("it is too long");
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
