#include "records/time_reader.h"

#include "base/printable.h"
#include "records/text.h"

namespace tidemill {
namespace {

constexpr std::string_view kCodes = "YmdHMSfyjbBaAIpzZ%";

// Takes what the code stands for off the front of `text`.
bool TakeCode(char code, std::string_view& text, CivilTime& civil) {
  switch (code) {
    case 'Y':
      return TakeDigits(text, 4, civil.year);
    case 'y':
      if (!TakeNumber(text, 2, civil.year)) return false;
      civil.year += civil.year < 69 ? 2000 : 1900;
      return true;
    case 'm':
      return TakeNumber(text, 2, civil.month);
    case 'b':
    case 'B':
      return TakeMonth(text, civil.month);
    case 'a':
    case 'A':
      return TakeWeekday(text, civil.weekday);
    case 'd':
      return TakeNumber(text, 2, civil.day);
    case 'j':
      return TakeNumber(text, 3, civil.day_of_year) && civil.day_of_year >= 1;
    case 'H':
    case 'I':
      return TakeNumber(text, 2, civil.hour);
    case 'p':
      return TakeMeridiem(text, civil.afternoon);
    case 'M':
      return TakeNumber(text, 2, civil.minute);
    case 'S':
      return TakeNumber(text, 2, civil.second);
    case 'f':
      return TakeFraction(text, civil.micros);
    case 'z':
      return TakeOffset(text, civil.offset_seconds);
    case 'Z':
      return TakeZoneName(text, civil);
    default:
      if (!text.starts_with('%')) return false;
      text.remove_prefix(1);
      return true;
  }
}

// A fraction may be absent, together with its point.
bool LacksFraction(std::string_view pattern, std::string_view text) {
  return (pattern.starts_with(".%f") || pattern.starts_with(",%f")) && !text.starts_with('.') &&
         !text.starts_with(',');
}

bool Match(std::string_view pattern, std::string_view text, bool wild, CivilTime& civil);

// Reads as much of `text` as any text, the shortest that fits, and the rest as `pattern`.
bool MatchBehindAny(std::string_view pattern, std::string_view text, CivilTime& civil) {
  for (size_t skip = 0; skip <= text.size(); ++skip) {
    CivilTime tried = civil;
    if (!Match(pattern, text.substr(skip), /*wild=*/true, tried)) continue;
    civil = tried;
    return true;
  }
  return false;
}

// Whether all of `text` reads as `pattern`; `wild`: a `*` is any text, the shortest that fits.
bool Match(std::string_view pattern, std::string_view text, bool wild, CivilTime& civil) {
  while (!pattern.empty()) {
    if (wild && pattern.front() == '*') return MatchBehindAny(pattern.substr(1), text, civil);
    if (pattern.front() == '%' && pattern.size() > 1) {
      if (!TakeCode(pattern[1], text, civil)) return false;
      pattern.remove_prefix(2);
    } else if (LacksFraction(pattern, text)) {
      pattern.remove_prefix(3);
    } else {
      const bool fraction = pattern.starts_with(".%f") || pattern.starts_with(",%f");
      const bool same =
          !text.empty() && (text.front() == pattern.front() ||
                            (fraction && (text.front() == '.' || text.front() == ',')));
      if (!same) return false;
      pattern.remove_prefix(1);
      text.remove_prefix(1);
    }
  }
  return text.empty();
}

absl::Status CheckCodes(std::string_view format) {
  bool meridiem = false, half_day = false;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    ++i;
    if (i == format.size() || kCodes.find(format[i]) == std::string_view::npos) {
      return InvalidArgument("the time format '{}' has an unknown code; known ones: {}", format,
                             "%Y %m %d %H %M %S %f %y %j %b %a %I %p %z %Z %%");
    }
    meridiem |= format[i] == 'p';
    half_day |= format[i] == 'I';
  }
  if (meridiem != half_day) {
    return InvalidArgument(
        "the time format '{}' needs both %I, the hour from 1 to 12, and %p, AM "
        "or PM",
        format);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TimeReader> TimeReader::Create(const TimeFormat& format) {
  RETURN_IF_ERROR(CheckCodes(format.format));
  TimeReader reader;
  ASSIGN_OR_RETURN(reader.zone_, TimeZone::Create(format.time_zone));
  reader.format_ = format.format;
  reader.unit_ = UnixUnitOf(format.format);
  reader.ambiguous_ = format.ambiguous;
  reader.any_year_ = format.any_year;
  return reader;
}

absl::StatusOr<Timestamp> TimeReader::Read(std::string_view text) const {
  absl::StatusOr<Timestamp> time = ReadWritten(text);
  if (time.ok() || !IsBlank(text)) return time;
  return absl::NotFoundError(time.status().message());
}

absl::StatusOr<Timestamp> TimeReader::ReadWritten(std::string_view text) const {
  if (unit_) return ReadUnixTime(text, *unit_, any_year_);
  if (format_.empty()) {
    ASSIGN_OR_RETURN(const CivilTime civil, ParseCivilTime(text));
    return At(civil, text);
  }
  CivilTime civil;
  if (Match(format_, text, /*wild=*/false, civil)) return At(civil, text);
  return InvalidArgument("the time {} does not read as {}", Quoted(text), format_);
}

absl::StatusOr<Timestamp> TimeReader::ReadFromPath(std::string_view path) const {
  CivilTime civil;
  const std::string mismatch =
      fmt::format("the path '{}' does not match {}", Printable(path), format_);
  if (!Match(format_, path, /*wild=*/true, civil)) return InvalidArgument("{}", mismatch);
  auto time = ToTimestamp(civil, zone_, ambiguous_);
  if (!time.ok()) return Annotate(time.status(), mismatch);
  return time;
}

absl::StatusOr<Timestamp> TimeReader::At(const CivilTime& civil, std::string_view text) const {
  auto time = ToTimestamp(civil, zone_, ambiguous_);
  if (!time.ok()) return Annotate(time.status(), fmt::format("{} is not a time", Quoted(text)));
  return time;
}

}  // namespace tidemill
