#include "cli/init/time_columns.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"

#include "base/times/unix_time.h"
#include "records/time_reader.h"
#include "supervisor/checks/time_guess.h"

namespace tidemill::cli {
namespace {

constexpr size_t kMostTexts = 60;
constexpr double kLeastShare = 0.9;
constexpr int64_t kMicrosOfDay = 86'400'000'000;

// The texts of the columns in one row; "" where one is missing.
std::string TextOf(const SampledTable& table, const std::vector<size_t>& columns, size_t row) {
  std::string text;
  for (const size_t column : columns) {
    const std::string& value = table.columns[column].values[row];
    if (IsMissingWord(value)) return "";
    if (!text.empty()) text += ' ';
    text += value;
  }
  return text;
}

// Different texts from the first row to the last one.
std::vector<std::string> SomeTexts(const SampledTable& table, const std::vector<size_t>& columns) {
  const auto num_rows = static_cast<size_t>(table.num_rows);
  const size_t step = std::max<size_t>(1, num_rows / kMostTexts);
  std::set<std::string> seen;
  std::vector<std::string> texts;
  for (size_t row = 0; row < num_rows; row += step) {
    std::string text = TextOf(table, columns, row);
    if (!text.empty() && seen.insert(text).second) texts.push_back(std::move(text));
  }
  return texts;
}

// Reads all rows with a format. The share may be any.
TimeColumns ReadWith(const SampledTable& table, std::vector<size_t> columns,
                     const std::string& format) {
  TimeColumns found{.columns = std::move(columns), .format = format};
  const auto reader = TimeReader::Create({.format = format});
  int64_t num_values = 0, num_read = 0;
  Timestamp before;
  for (size_t row = 0; reader.ok() && row < static_cast<size_t>(table.num_rows); ++row) {
    const std::string text = TextOf(table, found.columns, row);
    if (text.empty()) continue;
    ++num_values;
    const auto time = reader->Read(text);
    if (!time.ok()) continue;
    const bool is_first = num_read++ == 0;
    found.first = is_first ? *time : std::min(found.first, *time);
    found.last = is_first ? *time : std::max(found.last, *time);
    found.rises &= is_first || *time >= before;
    found.has_clock |= time->micros % kMicrosOfDay != 0;
    before = *time;
  }
  // A column that is mostly missing is not the time of the records.
  if (num_values == 0 || num_values * 10 < table.num_rows * 9) return found;
  found.share = static_cast<double>(num_read) / static_cast<double>(num_values);
  return found;
}

std::optional<TimeColumns> ReadAll(const SampledTable& table, std::vector<size_t> columns,
                                   const std::string& format) {
  TimeColumns found = ReadWith(table, std::move(columns), format);
  if (found.share < kLeastShare) return std::nullopt;
  return found;
}

// Takes the format that reads the most; among equals, one by which the times rise.
std::optional<TimeColumns> ReadAny(const SampledTable& table, const std::vector<size_t>& columns,
                                   const std::vector<std::string>& formats) {
  std::vector<TimeColumns> read;
  for (const std::string& format : formats) {
    if (auto found = ReadAll(table, columns, format)) read.push_back(std::move(*found));
  }
  if (read.empty()) return std::nullopt;
  std::ranges::stable_sort(read, std::greater<>(), [](const TimeColumns& times) {
    return std::pair(times.share, times.rises);
  });
  TimeColumns best = read.front();
  for (size_t place = 1; place < read.size(); ++place) {
    const TimeColumns& other = read[place];
    const bool is_same = other.first.micros == best.first.micros &&
                         other.last.micros == best.last.micros && other.rises == best.rises;
    if (other.share < best.share) {
      best.worse_format = other.format;
      best.worse_share = other.share;
    } else if (!is_same) {
      best.other_format = other.format;
      best.other_rises = other.rises;
    }
    break;
  }
  return best;
}

// Whether a text has as many digits as a day of a year needs.
bool MayBeTime(const std::string& text) {
  constexpr int64_t kLeastDigits = 4;
  return std::ranges::count_if(text, absl::ascii_isdigit) >= kLeastDigits;
}

// Adds the formats that read some texts, `size` of them at a time.
void AddFormats(const std::vector<std::string>& texts, size_t size,
                std::vector<std::string>& formats) {
  constexpr size_t kMostParts = 6, kMostFormats = 6;
  size_t turn = 0;
  // Not a divisor of many periods: what comes in turn must be seen.
  const size_t step = std::max(size, texts.size() / kMostParts) | 1;
  for (size_t from = 0; from < texts.size() && formats.size() < kMostFormats;
       from += step + turn++ % 3) {
    const size_t end = std::min(from + size, texts.size());
    for (std::string& format :
         supervisor::GuessTimeFormats({texts.begin() + static_cast<std::ptrdiff_t>(from),
                                       texts.begin() + static_cast<std::ptrdiff_t>(end)})) {
      if (std::ranges::find(formats, format) == formats.end()) formats.push_back(std::move(format));
    }
  }
}

// The formats that read all texts or parts of them: a few that are broken, or the first days of a
// month, must not hide how the others are written.
std::vector<std::string> FormatsOf(std::vector<std::string> texts) {
  const size_t num_texts = texts.size();
  std::erase_if(texts, [](const std::string& text) { return !MayBeTime(text); });
  if (texts.empty() || texts.size() * 2 < num_texts) return {};
  std::vector<std::string> formats = supervisor::GuessTimeFormats(texts);
  if (!formats.empty()) return formats;
  for (const size_t num_together : {size_t{5}, size_t{1}}) AddFormats(texts, num_together, formats);
  return formats;
}

bool HoldsNumbers(const SampledColumn& column) {
  const auto first = std::ranges::find_if(
      column.values, [](const std::string& value) { return !IsMissingWord(value); });
  return first != column.values.end() &&
         (IsNumber(*first, {}) || IsNumber(*first, {.decimal = ','}));
}

bool IsYear(double number) { return number >= 1900 && number < 2100; }

// Whether whole numbers are dates such as 20201231.
bool AreCompactDates(const ColumnFacts& facts) {
  return IsYear(facts.least / 10000) && IsYear(facts.greatest / 10000);
}

std::optional<TimeColumns> TimesOfNumbers(const SampledTable& table, size_t column,
                                          const ColumnFacts& facts) {
  const std::vector<std::string> texts = SomeTexts(table, {column});
  if (texts.empty()) return std::nullopt;
  const bool named = TimeInName(facts.name) > 0;
  if (facts.all_whole() && AreCompactDates(facts)) return ReadAny(table, {column}, {"%Y%m%d"});
  const auto unit = LikelyUnixUnit(texts.front());
  if (!unit || !(named || facts.rises) || facts.num_distinct() < 2) return std::nullopt;
  return ReadAny(table, {column}, {std::string(unit->format)});
}

struct Part {
  std::string_view code = {};
  double least, greatest;
  std::array<std::string_view, 6> names = {};
};
constexpr std::array<Part, 6> kParts = {
    {{"%Y", 1900, 2100, {"year", "yyyy", "yr", "jahr", "y", "annee"}},
     {"%m", 1, 12, {"month", "mm", "mon", "monat", "mo", "m"}},
     {"%d", 1, 31, {"day", "dd", "day_of_month", "tag", "dom", "d"}},
     {"%H", 0, 23, {"hour", "hh", "hr", "stunde", "h", "hours"}},
     {"%M", 0, 59, {"minute", "min", "mi", "minutes", "minuten", "mins"}},
     {"%S", 0, 59, {"second", "sec", "ss", "seconds", "sekunde", "secs"}}}};

std::optional<size_t> ColumnOfPart(const std::vector<ColumnFacts>& facts, const Part& part) {
  for (const std::string_view name : part.names) {
    for (size_t column = 0; column < facts.size(); ++column) {
      const ColumnFacts& seen = facts[column];
      if (absl::AsciiStrToLower(seen.name) != name || !seen.all_whole()) continue;
      if (seen.least >= part.least && seen.greatest <= part.greatest) return column;
    }
  }
  return std::nullopt;
}

std::string DayFormat(const TimeColumns& date) {
  return date.format.empty() ? "%Y-%m-%d" : date.format;
}

// The second reading of the date, followed by the clock.
void AddOtherDay(const TimeColumns& date, const std::string& clock, TimeColumns& found) {
  if (!date.other_format.empty()) found.other_format = date.other_format + clock;
  if (!date.worse_format.empty()) found.worse_format = date.worse_format + clock;
  found.worse_share = date.worse_share;
}

// Whether a column of whole numbers is named as an hour, or counts 0 to 23 again and again.
bool IsHour(const ColumnFacts& facts) {
  if (!facts.all_whole() || facts.least < 0 || facts.greatest > 23 || facts.num_missing > 0) {
    return false;
  }
  const std::string lower = absl::AsciiStrToLower(facts.name);
  for (const std::string_view name :
       {"hour", "hr", "hh", "h", "hrs", "hours", "stunde", "std", "heure", "hora", "ora", "uur",
        "time", "uhrzeit", "hour_of_day", "hourofday", "hod", "timme", "godzina"}) {
    if (lower == name) return true;
  }
  if (lower.find("hour") != lower.npos || lower.find("stunde") != lower.npos) return true;
  const bool counts = facts.steps.num_up * 10 >= facts.steps.num_steps * 9;
  return facts.least == 0 && facts.greatest == 23 && counts && facts.steps.num_steps >= 24;
}

// A date and its hour in a column of whole numbers, with minute and second if there are such ones.
std::optional<TimeColumns> TimesOfDateAndHour(const SampledTable& table,
                                              const std::vector<ColumnFacts>& facts,
                                              const TimeColumns& date) {
  const auto hour = std::ranges::find_if(facts, IsHour);
  if (hour == facts.end()) return std::nullopt;
  std::vector<size_t> columns = {date.columns.front(), static_cast<size_t>(hour - facts.begin())};
  if (columns[0] == columns[1]) return std::nullopt;
  std::string clock = " %H";
  for (const Part& part : std::span(kParts).subspan(4)) {
    const auto column = ColumnOfPart(facts, part);
    if (!column) break;
    columns.push_back(*column);
    clock += " " + std::string(part.code);
  }
  auto found = ReadAll(table, std::move(columns), DayFormat(date) + clock);
  if (!found || !found->has_clock) return std::nullopt;
  AddOtherDay(date, clock, *found);
  return found;
}

}  // namespace

int TimeInName(const std::string& name) {
  const std::string lower = absl::AsciiStrToLower(name);
  for (const std::string_view word :
       {"birth", "dob", "updated", "modified", "end", "until", "expir"}) {
    if (lower.find(word) != std::string::npos) return -1;
  }
  for (const std::string_view word :
       {"timestamp", "datetime", "date", "time", "event_time", "ts", "datum", "zeit", "created_at",
        "date_time", "zeitstempel", "epoch"}) {
    if (lower == word) return 2;
  }
  for (const std::string_view word :
       {"date", "time", "stamp", "created", "epoch", "datum", "zeit"}) {
    if (lower.find(word) != std::string::npos) return 1;
  }
  return lower.ends_with("_at") || lower.ends_with("_ms") || lower.ends_with("_ts") ||
                 lower == "at" || lower == "when" || lower == "t" || lower == "day"
             ? 1
             : 0;
}

std::optional<TimeColumns> TimesOfColumn(const SampledTable& table, size_t column,
                                         const ColumnFacts& facts) {
  if (facts.num_values() == 0) return std::nullopt;
  if (facts.num_numbers * 10 >= facts.num_values() * 9) return TimesOfNumbers(table, column, facts);
  return ReadAny(table, {column}, FormatsOf(SomeTexts(table, {column})));
}

std::optional<MixedTimes> MixedTimesOfColumn(const SampledTable& table, size_t column,
                                             const ColumnFacts& facts) {
  constexpr double kLeastOfMixed = 0.1;
  if (facts.num_numbers * 2 > facts.num_values()) return std::nullopt;
  std::vector<TimeColumns> read;
  for (const std::string& format : FormatsOf(SomeTexts(table, {column}))) {
    TimeColumns found = ReadWith(table, {column}, format);
    if (found.share >= kLeastShare) return std::nullopt;
    if (found.share >= kLeastOfMixed) read.push_back(std::move(found));
  }
  std::ranges::stable_sort(read, std::greater<>(), &TimeColumns::share);
  if (read.size() < 2 || read[0].share + read[1].share < kLeastShare) return std::nullopt;
  return MixedTimes{.most = std::move(read[0]), .others = std::move(read[1])};
}

std::optional<TimeColumns> TimesOfParts(const SampledTable& table,
                                        const std::vector<ColumnFacts>& facts) {
  std::vector<size_t> columns;
  std::string format;
  for (const Part& part : kParts) {
    const auto column = ColumnOfPart(facts, part);
    if (!column) break;
    columns.push_back(*column);
    format += (format.empty() ? "" : " ") + std::string(part.code);
  }
  if (columns.size() < 3) return std::nullopt;
  return ReadAll(table, columns, format);
}

std::optional<TimeColumns> TimesOfDateAndClock(const SampledTable& table,
                                               const std::vector<ColumnFacts>& facts,
                                               const TimeColumns& date) {
  if (date.has_clock || date.columns.size() != 1) return std::nullopt;
  if (auto hours = TimesOfDateAndHour(table, facts, date)) return hours;
  const std::string day = DayFormat(date);
  for (size_t column = 0; column < table.columns.size(); ++column) {
    // An amount such as 10.30 is not a clock.
    if (column == date.columns.front() || HoldsNumbers(table.columns[column])) continue;
    for (const std::string_view clock :
         {"%H:%M:%S", "%H:%M", "%H:%M:%S.%f", "%H.%M.%S", "%I:%M %p", "%I:%M:%S %p"}) {
      auto found = ReadAll(table, {date.columns.front(), column}, day + " " + std::string(clock));
      if (!found || !found->has_clock) continue;
      AddOtherDay(date, " " + std::string(clock), *found);
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace tidemill::cli
