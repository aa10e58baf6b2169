#include "records/time_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>

#include "absl/time/time.h"

namespace tidemill {

// The standard library of g++ 12 has no zone database; abseil's reads the system's.
struct NamedZone {
  absl::TimeZone zone;
};

namespace {

constexpr int64_t kSecond = 1'000'000;
constexpr std::string_view kCodes = "YmdHMSfyjbz%";
constexpr std::array<std::string_view, 12> kMonths = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};

// Takes a number of up to `max_digits` digits off the front.
bool TakeNumber(std::string_view& text, size_t max_digits, int& number) {
  size_t digits = 0;
  number = 0;
  while (digits < std::min(max_digits, text.size()) && text[digits] >= '0' && text[digits] <= '9') {
    number = number * 10 + (text[digits++] - '0');
  }
  text.remove_prefix(digits);
  return digits > 0;
}

bool TakeFraction(std::string_view& text, int& micros) {
  size_t digits = 0;
  micros = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    if (digits < 6) micros = micros * 10 + (text[digits] - '0');
  }
  for (size_t i = digits; i < 6; ++i) micros *= 10;
  text.remove_prefix(digits);
  return digits > 0 && digits <= 9;
}

// A full name or its first three letters, in any case.
bool TakeMonth(std::string_view& text, int& month) {
  size_t letters = 0;
  std::string word;
  while (letters < text.size() && std::isalpha(static_cast<unsigned char>(text[letters]))) {
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(text[letters++])));
  }
  for (size_t i = 0; i < kMonths.size(); ++i) {
    if (word != kMonths[i] && word != kMonths[i].substr(0, 3)) continue;
    month = static_cast<int>(i) + 1;
    text.remove_prefix(letters);
    return true;
  }
  return false;
}

// Z, +08, +0800 or +08:00.
bool TakeOffset(std::string_view& text, std::optional<int>& minutes) {
  if (text.empty()) return false;
  const char sign = text.front();
  text.remove_prefix(1);
  if (sign == 'Z' || sign == 'z') {
    minutes = 0;
    return true;
  }
  if (sign != '+' && sign != '-') return false;
  int hours = 0, rest = 0;
  const size_t before = text.size();
  if (!TakeNumber(text, 2, hours) || before - text.size() != 2) return false;
  const bool colon = text.starts_with(':');
  if (colon) text.remove_prefix(1);
  if (TakeNumber(text, 2, rest) ? rest > 59 : colon) return false;
  if (hours > 15) return false;
  minutes = (sign == '-' ? -1 : 1) * (hours * 60 + rest);
  return true;
}

// Takes what the code stands for off the front of `text`.
bool TakeCode(char code, std::string_view& text, CivilTime& civil) {
  switch (code) {
    case 'Y': {
      const size_t before = text.size();
      return TakeNumber(text, 4, civil.year) && before - text.size() == 4;
    }
    case 'y':
      if (!TakeNumber(text, 2, civil.year)) return false;
      civil.year += civil.year < 69 ? 2000 : 1900;
      return true;
    case 'm':
      return TakeNumber(text, 2, civil.month);
    case 'b':
      return TakeMonth(text, civil.month);
    case 'd':
      return TakeNumber(text, 2, civil.day);
    case 'j':
      return TakeNumber(text, 3, civil.day_of_year) && civil.day_of_year >= 1 &&
             civil.day_of_year <= 366;
    case 'H':
      return TakeNumber(text, 2, civil.hour);
    case 'M':
      return TakeNumber(text, 2, civil.minute);
    case 'S':
      return TakeNumber(text, 2, civil.second);
    case 'f':
      return TakeFraction(text, civil.micros);
    case 'z':
      return TakeOffset(text, civil.offset_minutes);
    default:
      if (!text.starts_with('%')) return false;
      text.remove_prefix(1);
      return true;
  }
}

// Whether all of `text` reads as `pattern`; `wild`: a `*` is any text, the shortest that fits.
bool Match(std::string_view pattern, std::string_view text, bool wild, CivilTime& civil) {
  while (!pattern.empty()) {
    if (wild && pattern.front() == '*') {
      pattern.remove_prefix(1);
      for (size_t skip = 0; skip <= text.size(); ++skip) {
        CivilTime tried = civil;
        if (!Match(pattern, text.substr(skip), wild, tried)) continue;
        civil = tried;
        return true;
      }
      return false;
    }
    if (pattern.front() == '%' && pattern.size() > 1) {
      if (!TakeCode(pattern[1], text, civil)) return false;
      pattern.remove_prefix(2);
    } else {
      if (text.empty() || text.front() != pattern.front()) return false;
      pattern.remove_prefix(1);
      text.remove_prefix(1);
    }
  }
  return text.empty();
}

absl::Status CheckCodes(std::string_view format) {
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    ++i;
    if (i == format.size() || kCodes.find(format[i]) == std::string_view::npos) {
      return InvalidArgument("the time format '{}' has an unknown code; known ones: {}", format,
                             "%Y %m %d %H %M %S %f %y %j %b %z %%");
    }
  }
  return absl::OkStatus();
}

// Units a second of a numeric format, 0 for other formats.
int64_t UnitsPerSecond(std::string_view format) {
  if (format == "unix") return 1;
  if (format == "unix_ms") return 1'000;
  if (format == "unix_us") return 1'000'000;
  return 0;
}

// What PostgreSQL's timestamptz holds, from 4713 BC, less some at the far end of int64: one time
// out of range would keep every sample of its transaction out.
constexpr int64_t kFirstTime = -210'866'803'200'000'000;
constexpr int64_t kLastTime = 9'200'000'000'000'000'000;

absl::StatusOr<Timestamp> ReadUnix(std::string_view text, int64_t units) {
  int64_t whole = 0;
  const char* const end = text.data() + text.size();
  if (const auto [stop, error] = std::from_chars(text.data(), end, whole);
      error == std::errc() && stop == end) {
    int64_t micros = 0;
    if (__builtin_mul_overflow(whole, kSecond / units, &micros) || micros < kFirstTime ||
        micros > kLastTime) {
      return InvalidArgument("time '{}' is out of range", text);
    }
    return Timestamp{micros};
  }
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  // A whole number: what is multiplied by it is rounded once.
  const int64_t micros_per_unit = kSecond / units;
  const double micros = std::round(number * static_cast<double>(micros_per_unit));
  if (error != std::errc() || stop != end ||
      !(micros >= static_cast<double>(kFirstTime) && micros < static_cast<double>(kLastTime))) {
    return InvalidArgument("time '{}' is not a number", text);
  }
  return Timestamp{static_cast<int64_t>(micros)};
}

// Whether an RFC 3339 text says its zone.
bool StatesZone(std::string_view text) {
  const size_t time = text.find(':');
  if (time == std::string_view::npos) return false;
  return text.find_first_of("Zz+-", time) != std::string_view::npos;
}

}  // namespace

absl::StatusOr<TimeReader> TimeReader::Create(std::string format, const std::string& zone) {
  RETURN_IF_ERROR(CheckCodes(format));
  TimeReader reader;
  reader.format_ = std::move(format);
  std::string_view text = zone;
  std::optional<int> offset;
  if (TakeOffset(text, offset) && text.empty()) {
    reader.fixed_offset_minutes_ = *offset;
  } else if (zone != "UTC") {
    auto named = std::make_shared<NamedZone>();
    if (!absl::LoadTimeZone(zone, &named->zone)) {
      return InvalidArgument("time zone '{}' is unknown", zone);
    }
    reader.named_zone_ = std::move(named);
  }
  return reader;
}

absl::StatusOr<Timestamp> TimeReader::Read(std::string_view text) const {
  if (format_.empty()) {
    ASSIGN_OR_RETURN(const Timestamp time, ParseTimestamp(text));
    if (StatesZone(text)) return time;
    return Timestamp{ToUtc(time.micros)};
  }
  if (const int64_t units = UnitsPerSecond(format_); units > 0) return ReadUnix(text, units);
  CivilTime civil;
  if (Match(format_, text, /*wild=*/false, civil)) {
    if (const std::optional<Timestamp> time = ToTimestamp(civil)) return *time;
  }
  return InvalidArgument("time '{}' does not read as {}", text, format_);
}

absl::StatusOr<Timestamp> TimeReader::ReadFromPath(std::string_view path) const {
  CivilTime civil;
  if (Match(format_, path, /*wild=*/true, civil)) {
    if (const std::optional<Timestamp> time = ToTimestamp(civil)) return *time;
  }
  return InvalidArgument("path '{}' does not match {}", path, format_);
}

std::optional<Timestamp> TimeReader::ToTimestamp(const CivilTime& civil) const {
  using std::chrono::day, std::chrono::month, std::chrono::year;
  if (civil.hour > 23 || civil.minute > 59 || civil.second > 59) return std::nullopt;
  const int in_month = civil.day_of_year > 0 ? 1 : civil.day;
  const std::chrono::year_month_day date(
      year(civil.year), month(civil.day_of_year > 0 ? 1U : static_cast<unsigned>(civil.month)),
      day(static_cast<unsigned>(in_month)));
  if (!date.ok()) return std::nullopt;
  int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  if (civil.day_of_year > 0) {
    if (civil.day_of_year == 366 && !date.year().is_leap()) return std::nullopt;
    days += civil.day_of_year - 1;
  }
  const int64_t seconds =
      ((days * 24 + civil.hour) * 60 + civil.minute) * 60 + int64_t{civil.second};
  const int64_t local = seconds * kSecond + civil.micros;
  if (civil.offset_minutes) return Timestamp{local - 60 * kSecond * *civil.offset_minutes};
  return Timestamp{ToUtc(local)};
}

int64_t TimeReader::ToUtc(int64_t local_micros) const {
  if (!named_zone_) return local_micros - 60 * kSecond * fixed_offset_minutes_;
  int64_t seconds = local_micros / kSecond;
  if (local_micros % kSecond < 0) --seconds;
  const absl::CivilSecond civil = absl::CivilSecond(1970, 1, 1) + seconds;
  // Where the clock is set back the earlier of two, where it is set forward the time before.
  return absl::ToUnixMicros(named_zone_->zone.At(civil).pre) + (local_micros - seconds * kSecond);
}

}  // namespace tidemill
