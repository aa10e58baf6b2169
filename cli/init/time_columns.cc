#include "cli/init/time_columns.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"

#include "base/times/unix_time.h"
#include "records/time_reader.h"
#include "supervisor/pipeline/time_guess.h"

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

// Reads all rows with a format. std::nullopt when too few of them are times.
std::optional<TimeColumns> ReadAll(const SampledTable& table, std::vector<size_t> columns,
                                   const std::string& format) {
  const auto reader = TimeReader::Create({.format = format});
  if (!reader.ok()) return std::nullopt;
  TimeColumns found{.columns = std::move(columns), .format = format};
  int64_t num_values = 0, num_read = 0;
  Timestamp before;
  for (size_t row = 0; row < static_cast<size_t>(table.num_rows); ++row) {
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
  if (num_values == 0) return std::nullopt;
  found.share = static_cast<double>(num_read) / static_cast<double>(num_values);
  // A column that is mostly missing is not the time of the records.
  if (num_values * 10 < table.num_rows * 9 || found.share < kLeastShare) return std::nullopt;
  return found;
}

std::optional<TimeColumns> ReadAny(const SampledTable& table, const std::vector<size_t>& columns,
                                   const std::vector<std::string>& formats) {
  for (const std::string& format : formats) {
    auto found = ReadAll(table, columns, format);
    if (!found) continue;
    for (const std::string& other : formats) {
      if (other != format && ReadAll(table, columns, other)) found->other_format = other;
    }
    return found;
  }
  return std::nullopt;
}

bool HoldsNumbers(const SampledColumn& column) {
  const auto first = std::ranges::find_if(
      column.values, [](const std::string& value) { return !IsMissingWord(value); });
  return first != column.values.end() && (IsNumber(*first, '.') || IsNumber(*first, ','));
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
  const std::vector<std::string> texts = SomeTexts(table, {column});
  auto formats = supervisor::GuessTimeFormats(texts);
  // A few that are broken must not hide how the others are written.
  for (size_t from = 0; formats.empty() && from + 5 <= std::min<size_t>(texts.size(), 20);
       from += 5) {
    const auto at = texts.begin() + static_cast<std::ptrdiff_t>(from);
    formats = supervisor::GuessTimeFormats({at, at + 5});
  }
  return ReadAny(table, {column}, formats);
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

std::optional<TimeColumns> TimesOfDateAndClock(const SampledTable& table, const TimeColumns& date) {
  if (date.has_clock || date.columns.size() != 1) return std::nullopt;
  const std::string day = date.format.empty() ? "%Y-%m-%d" : date.format;
  for (size_t column = 0; column < table.columns.size(); ++column) {
    // An amount such as 10.30 is not a clock.
    if (column == date.columns.front() || HoldsNumbers(table.columns[column])) continue;
    for (const std::string_view clock :
         {"%H:%M:%S", "%H:%M", "%H:%M:%S.%f", "%H.%M.%S", "%I:%M %p", "%I:%M:%S %p"}) {
      auto found = ReadAll(table, {date.columns.front(), column}, day + " " + std::string(clock));
      if (!found || !found->has_clock) continue;
      if (!date.other_format.empty())
        found->other_format = date.other_format + " " + std::string(clock);
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace tidemill::cli
