#include "base/times/unix_time.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "base/printable.h"

namespace tidemill {
namespace {

constexpr int64_t kNanosInMicro = 1'000;
constexpr std::array<UnixUnit, 4> kUnixUnits = {{{"unix", "seconds", 1'000'000'000},
                                                 {"unix_ms", "milliseconds", 1'000'000},
                                                 {"unix_us", "microseconds", 1'000},
                                                 {"unix_ns", "nanoseconds", 1}}};

// The years 1000 and 3000.
constexpr int64_t kFirstLikely = -30'610'224'000'000'000;
constexpr int64_t kEndLikely = 32'503'680'000'000'000;
// What PostgreSQL's timestamptz holds, from 4713 BC, less some at the far end of int64: one time
// out of range would keep every sample of its transaction out.
constexpr int64_t kFirst = -210'866'803'200'000'000;
constexpr int64_t kLast = 9'200'000'000'000'000'000;

template <typename Number>
std::optional<Number> WholeNumber(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

absl::Status Unlikely(std::string_view text, const UnixUnit& unit, int64_t micros) {
  const std::string reads =
      fmt::format("{} {} since 1970 are '{}'", Quoted(text), unit.name, FormatTimestamp({micros}));
  const std::optional<UnixUnit> likely = LikelyUnixUnit(text);
  if (!likely) {
    return InvalidArgument("{}; if they are meant, write any_year: true", reads);
  }
  return InvalidArgument("{}; these are {}: write format: {}", reads, likely->name, likely->format);
}

absl::StatusOr<Timestamp> Checked(std::string_view text, const UnixUnit& unit, bool any_year,
                                  int64_t micros) {
  if (micros >= kFirstLikely && micros < kEndLikely) return Timestamp{micros};
  if (!any_year) return Unlikely(text, unit, micros);
  return Timestamp{micros};
}

}  // namespace

std::optional<UnixUnit> UnixUnitOf(std::string_view format) {
  for (const UnixUnit& unit : kUnixUnits) {
    if (unit.format == format) return unit;
  }
  return std::nullopt;
}

std::optional<UnixUnit> LikelyUnixUnit(std::string_view text) {
  const std::optional<double> number = WholeNumber<double>(text);
  if (!number) return std::nullopt;
  constexpr double kFrom = 315'532'800e9, kTo = 7'258'118'400e9;  // 1980 and 2200.
  for (const UnixUnit& unit : kUnixUnits) {
    const double nanos = *number * static_cast<double>(unit.nanos);
    if (nanos >= kFrom && nanos < kTo) return unit;
  }
  return std::nullopt;
}

absl::StatusOr<Timestamp> ReadUnixTime(std::string_view text, const UnixUnit& unit, bool any_year) {
  const auto out_of_range = [&]() -> absl::Status {
    const std::optional<UnixUnit> likely = LikelyUnixUnit(text);
    if (!likely) return InvalidArgument("the time {} is out of range", Quoted(text));
    return InvalidArgument("the time {} is out of range as {}; it looks like {}: write format: {}",
                           Quoted(text), unit.name, likely->name, likely->format);
  };
  if (const std::optional<int64_t> whole = WholeNumber<int64_t>(text)) {
    int64_t micros = 0;
    if (unit.nanos < kNanosInMicro) {
      micros = *whole / kNanosInMicro - (*whole % kNanosInMicro < 0 ? 1 : 0);
    } else if (__builtin_mul_overflow(*whole, unit.nanos / kNanosInMicro, &micros)) {
      return out_of_range();
    }
    if (micros < kFirst || micros > kLast) return out_of_range();
    return Checked(text, unit, any_year, micros);
  }
  const std::optional<double> number = WholeNumber<double>(text);
  if (!number) return InvalidArgument("the time {} is not a number", Quoted(text));
  // A product or a quotient with a whole number is rounded once.
  const double micros = std::round(unit.nanos < kNanosInMicro
                                       ? *number / static_cast<double>(kNanosInMicro)
                                       : *number * static_cast<double>(unit.nanos / kNanosInMicro));
  if (!(micros >= static_cast<double>(kFirst) && micros < static_cast<double>(kLast))) {
    return out_of_range();
  }
  return Checked(text, unit, any_year, static_cast<int64_t>(micros));
}

}  // namespace tidemill
