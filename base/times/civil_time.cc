#include "base/times/civil_time.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "base/printable.h"
#include "base/times/unix_time.h"

// What ParseCivilTime() reads. [ ] marks what may be absent.
//
//   time         [weekday] date [ (T | t | " ") clock [zone] [end] ]
//                weekday month " " day " " year " " clock [zone] [end]
//                weekday month " " day " " clock [zone] " " year [end]
//   weekday      a name [","] " "
//   date         2026-01-31 | 20260131 | day " " month " " year
//   clock        8:00 | 08:00:00 | 08:00:00.5, each with [ [" "] (AM | PM) ]
//                0800 | 080000 | 080000.5 after 20260131 only, with the same
//   zone         [" "] (Z | an offset | a name)
//   end          " CET" | " (CET)" | "[Europe/Zurich]", after an offset only

namespace tidemill {
namespace {

constexpr size_t kMaxZoneBytes = 64;
constexpr std::array<std::string_view, 12> kMonths = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sunday",   "monday", "tuesday", "wednesday",
                                                       "thursday", "friday", "saturday"};

bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }
char Lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}
bool IsLetter(char letter) {
  const char lower = Lower(letter);
  return lower >= 'a' && lower <= 'z';
}

bool Take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

// `name` is in lower case.
bool IsName(std::string_view word, std::string_view name) {
  return word.size() == name.size() &&
         std::ranges::equal(word, name, {}, [](char letter) { return Lower(letter); });
}

// Takes one of `names`, or its first three letters.
template <size_t kCount>
bool TakeName(std::string_view& text, const std::array<std::string_view, kCount>& names,
              int& place) {
  size_t letters = 0;
  while (letters < text.size() && IsLetter(text[letters])) ++letters;
  const std::string_view word = text.substr(0, letters);
  for (size_t i = 0; i < kCount; ++i) {
    if (!IsName(word, names[i]) && !IsName(word, names[i].substr(0, 3))) continue;
    place = static_cast<int>(i);
    text.remove_prefix(letters);
    return true;
  }
  return false;
}

// Reads the ways of writing that need no format. Functions return false and set the reason.
class StandardReader {
 public:
  explicit StandardReader(std::string_view text) : rest_(text) {}

  bool Read() {
    if (!rest_.empty() && IsLetter(rest_.front())) {
      if (!ReadWeekday()) return false;
      if (IsLetter(rest_.front())) return ReadMonthFirst();
    }
    if (!ReadDate()) return false;
    if (rest_.empty()) return true;
    if (!Take(rest_, 'T') && !Take(rest_, ' ') && !Take(rest_, 't')) {
      return Wrong("neither T nor a space follows the date");
    }
    return ReadClock() && ReadZone() && ReadEnd();
  }

  const CivilTime& civil() const { return civil_; }
  const char* reason() const { return reason_; }

 private:
  bool Wrong(const char* reason) {
    reason_ = reason;
    return false;
  }

  // "Thu, " or "Thu ".
  bool ReadWeekday() {
    if (!TakeWeekday(rest_, civil_.weekday)) return NoDate();
    Take(rest_, ',');
    if (!Take(rest_, ' ') || rest_.empty()) return NoDate();
    return true;
  }

  bool NoDate() { return Wrong("it does not begin with a date like 2026-01-31"); }

  // 2026-01-31, 20260131 or 31 Jan 2026.
  bool ReadDate() {
    const size_t digits =
        static_cast<size_t>(std::ranges::find_if_not(rest_, IsDigit) - rest_.begin());
    if (digits == 1 || digits == 2) return ReadNamedDate();
    if (digits != 4 && digits != 8) return NoDate();
    compact_ = digits == 8;
    TakeDigits(rest_, 4, civil_.year);
    if (!compact_ && !Take(rest_, '-')) return NoDate();
    if (!TakeDigits(rest_, 2, civil_.month)) return NoDate();
    if (!compact_ && !Take(rest_, '-')) return NoDate();
    return TakeDigits(rest_, 2, civil_.day) || NoDate();
  }

  bool ReadNamedDate() {
    return (TakeNumber(rest_, 2, civil_.day) && Take(rest_, ' ') &&
            TakeMonth(rest_, civil_.month) && Take(rest_, ' ') &&
            TakeDigits(rest_, 4, civil_.year)) ||
           NoDate();
  }

  // "Jan 31 08:00:00 UTC 2026", "Jan 31 2026 08:00:00 GMT+0100".
  bool ReadMonthFirst() {
    if (!TakeMonth(rest_, civil_.month) || !Take(rest_, ' ')) return NoDate();
    Take(rest_, ' ');
    if (!TakeNumber(rest_, 2, civil_.day) || !Take(rest_, ' ')) return NoDate();
    if (rest_.size() > 4 && rest_[4] == ' ') {
      if (!TakeDigits(rest_, 4, civil_.year)) return NoDate();
      rest_.remove_prefix(1);
      return ReadClock() && ReadZone() && ReadEnd();
    }
    if (!ReadClock()) return false;
    if (rest_.size() > 5 && !ReadZone()) return false;
    if (!Take(rest_, ' ') || !TakeDigits(rest_, 4, civil_.year)) {
      return Wrong("the year is not where it belongs");
    }
    return ReadEnd();
  }

  // 08:00, 08:00:00.5, 8:00 AM; 0800 and 080000 after a date without hyphens.
  bool ReadClock() {
    const bool colons = rest_.size() > 2 && (rest_[1] == ':' || rest_[2] == ':');
    if (!colons && !compact_) return NoClock();
    if (!(colons ? TakeNumber(rest_, 2, civil_.hour) : TakeDigits(rest_, 2, civil_.hour))) {
      return NoClock();
    }
    if (colons) rest_.remove_prefix(1);
    if (!TakeDigits(rest_, 2, civil_.minute)) return NoClock();
    const bool seconds = colons ? Take(rest_, ':') : !rest_.empty() && IsDigit(rest_.front());
    if (seconds && !ReadSeconds()) return false;
    ReadMeridiem();
    return true;
  }

  bool NoClock() { return Wrong("the time of day does not look like 08:00:00"); }

  bool ReadSeconds() {
    if (!TakeDigits(rest_, 2, civil_.second)) return NoClock();
    if (!Take(rest_, '.') && !Take(rest_, ',')) return true;
    return TakeFraction(rest_, civil_.micros) || Wrong("no digits follow the point");
  }

  void ReadMeridiem() {
    if (rest_.size() < 2) return;
    std::string_view text = rest_;
    Take(text, ' ');
    if (TakeMeridiem(text, civil_.afternoon) && (text.empty() || !IsLetter(text.front()))) {
      rest_ = text;
    } else {
      civil_.afternoon.reset();
    }
  }

  bool ReadZone() {
    if (rest_.empty()) return true;
    Take(rest_, ' ');
    if (TakeOffset(rest_, civil_.offset_seconds)) return true;
    civil_.offset_seconds.reset();
    if (!rest_.empty() && IsLetter(rest_.front())) {
      if (TakeZoneName(rest_, civil_)) return true;
      return Wrong(
          "the abbreviation of a zone may mean several; write UTC, an offset such as +01:00, or a "
          "name such as Europe/Zurich");
    }
    return Wrong("the zone is neither Z nor an offset like +02:00");
  }

  // What some programs write after an offset, which says the zone: " CET", " (CET)",
  // "[Europe/Zurich]".
  bool ReadEnd() {
    if (rest_.empty()) return true;
    if (civil_.offset_seconds) {
      const bool blank = Take(rest_, ' ');
      if (rest_.size() > 2 && rest_.front() == (blank ? '(' : '[') &&
          rest_.find(blank ? ')' : ']') == rest_.size() - 1) {
        return true;
      }
      if (blank && rest_.size() >= 3 && rest_.size() <= 5 && std::ranges::all_of(rest_, IsLetter))
        return true;
    }
    return Wrong("there is text after the time");
  }

  std::string_view rest_;
  bool compact_ = false;
  CivilTime civil_;
  const char* reason_ = "";
};

}  // namespace

bool TakeDigits(std::string_view& text, size_t count, int& number) {
  if (text.size() < count) return false;
  number = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!IsDigit(text[i])) return false;
    number = number * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return true;
}

bool TakeNumber(std::string_view& text, size_t most, int& number) {
  size_t digits = 0;
  number = 0;
  while (digits < std::min(most, text.size()) && IsDigit(text[digits])) {
    number = number * 10 + (text[digits++] - '0');
  }
  text.remove_prefix(digits);
  return digits > 0;
}

bool TakeFraction(std::string_view& text, int& micros) {
  size_t digits = 0;
  micros = 0;
  for (; digits < text.size() && IsDigit(text[digits]); ++digits) {
    if (digits < 6) micros = micros * 10 + (text[digits] - '0');
  }
  for (size_t i = digits; i < 6; ++i) micros *= 10;
  text.remove_prefix(digits);
  return digits > 0;
}

bool TakeMonth(std::string_view& text, int& month) {
  if (!TakeName(text, kMonths, month)) return false;
  ++month;
  return true;
}

bool TakeWeekday(std::string_view& text, std::optional<int>& weekday) {
  int place = 0;
  if (!TakeName(text, kWeekdays, place)) return false;
  weekday = place;
  return true;
}

bool TakeMeridiem(std::string_view& text, std::optional<bool>& afternoon) {
  if (text.size() < 2 || Lower(text[1]) != 'm') return false;
  const char first = Lower(text.front());
  if (first != 'a' && first != 'p') return false;
  afternoon = first == 'p';
  text.remove_prefix(2);
  return true;
}

bool TakeOffset(std::string_view& text, std::optional<int>& seconds) {
  if (text.empty()) return false;
  const char sign = text.front();
  if (sign == 'Z' || sign == 'z') {
    text.remove_prefix(1);
    seconds = 0;
    return true;
  }
  if (sign != '+' && sign != '-') return false;
  text.remove_prefix(1);
  int hours = 0, minutes = 0, rest = 0;
  if (!TakeDigits(text, 2, hours) || hours > 23) return false;
  const bool colon = Take(text, ':');
  if (colon || (!text.empty() && IsDigit(text.front()))) {
    if (!TakeDigits(text, 2, minutes) || minutes > 59) return false;
  }
  if (colon && Take(text, ':') && (!TakeDigits(text, 2, rest) || rest > 59)) return false;
  seconds = (sign == '-' ? -1 : 1) * ((hours * 60 + minutes) * 60 + rest);
  return true;
}

bool TakeZoneName(std::string_view& text, CivilTime& civil) {
  size_t letters = 0;
  while (letters < text.size() && IsLetter(text[letters])) ++letters;
  const std::string_view word = text.substr(0, letters);
  if (IsName(word, "z") || IsName(word, "utc") || IsName(word, "gmt") || IsName(word, "ut")) {
    text.remove_prefix(letters);
    civil.offset_seconds = 0;
    const bool ahead = !text.empty() && (text.front() == '+' || text.front() == '-');
    return !ahead || TakeOffset(text, civil.offset_seconds);
  }
  if (letters == 0 || letters == text.size() || (text[letters] != '/' && text[letters] != '_')) {
    return false;
  }
  size_t end = letters;
  while (end < text.size() && text[end] != ' ' && text[end] != ']') ++end;
  civil.zone_name = text.substr(0, end);
  text.remove_prefix(end);
  return end <= kMaxZoneBytes && civil.zone_name.find('/') != std::string_view::npos;
}

absl::StatusOr<CivilTime> ParseCivilTime(std::string_view text) {
  StandardReader reader(text);
  if (reader.Read()) return reader.civil();
  if (const auto unit = LikelyUnixUnit(text)) {
    return InvalidArgument(
        "{} is a number rather than a time; if it counts {} since 1970, write "
        "format: {}",
        Quoted(text), unit->name, unit->format);
  }
  return InvalidArgument("{} is not a time: {}", Quoted(text), reader.reason());
}

absl::StatusOr<int64_t> LocalMicros(const CivilTime& civil) {
  using std::chrono::day, std::chrono::month, std::chrono::year;
  int hour = civil.hour;
  if (civil.afternoon) {
    if (hour < 1 || hour > 12) return InvalidArgument("the hour of AM or PM is not 1 to 12");
    hour = hour % 12 + (*civil.afternoon ? 12 : 0);
  }
  if (hour > 23) return InvalidArgument("the hour is not 00 to 23");
  if (civil.minute > 59) return InvalidArgument("the minute is not 00 to 59");
  if (civil.second > 60) return InvalidArgument("the second is not 00 to 59");
  const bool by_day = civil.day_of_year > 0;
  if (!by_day && (civil.month < 1 || civil.month > 12)) {
    return InvalidArgument("the month is not 01 to 12");
  }
  const std::chrono::year_month_day date(year(civil.year),
                                         month(by_day ? 1U : static_cast<unsigned>(civil.month)),
                                         day(by_day ? 1U : static_cast<unsigned>(civil.day)));
  if (!date.ok()) return InvalidArgument("the month has no such day");
  int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  if (by_day) {
    if (civil.day_of_year > (date.year().is_leap() ? 366 : 365)) {
      return InvalidArgument("the year has no such day");
    }
    days += civil.day_of_year - 1;
  }
  if (civil.weekday && (days % 7 + 7 + 4) % 7 != *civil.weekday) {
    return InvalidArgument("the date is not on that day of the week");
  }
  return (((days * 24 + hour) * 60 + civil.minute) * 60 + civil.second) * kMicrosInSecond +
         civil.micros;
}

absl::Status CheckLeapSecond(const CivilTime& civil, Timestamp utc) {
  if (civil.second < 60) return absl::OkStatus();
  const auto time =
      std::chrono::sys_time<std::chrono::microseconds>(std::chrono::microseconds(utc.micros));
  const auto midnight = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(midnight);
  const bool after_half_year =
      date.day() == std::chrono::day(1) &&
      (date.month() == std::chrono::January || date.month() == std::chrono::July);
  if (after_half_year && time - midnight < std::chrono::seconds(1)) return absl::OkStatus();
  return InvalidArgument(
      "the second 60 is a leap second, which is only 23:59:60 UTC on the last day of June or "
      "December");
}

}  // namespace tidemill
