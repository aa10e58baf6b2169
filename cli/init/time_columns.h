// Finds columns that hold times, one alone or several together.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "records/columns/column_facts.h"
#include "records/columns/sampled_table.h"

namespace tidemill::cli {

// Columns of a table whose texts, joined by blanks, are times.
struct TimeColumns {
  std::vector<size_t> columns = {};
  std::string format = {};  // A value of `event_time.format`; "" for notations that need none.
  // A second format that reads as many of them, when day and month cannot be distinguished.
  std::string other_format = {};
  bool other_rises = false;       // As `rises`, by the second format.
  std::string worse_format = {};  // One that reads fewer of them.
  double worse_share = 0;
  Timestamp first = {};  // The earliest and the latest one that was seen.
  Timestamp last = {};
  bool rises = true;       // Each is at least the one before it.
  bool has_clock = false;  // Some value is not midnight.
  double share = 0;        // The part of the values that are times.
};

// Returns the times of a column if at least nine of ten of its values are times. Among several
// formats it takes the one that reads most of them. Numbers count as times only when they are in a
// usual unit since 1970, and either rise from row to row or have the name of a time.
std::optional<TimeColumns> TimesOfColumn(const SampledTable& table, size_t column,
                                         const ColumnFacts& facts);

// Returns year, month and day in separate columns, with hour, minute and second if there are such
// columns.
std::optional<TimeColumns> TimesOfParts(const SampledTable& table,
                                        const std::vector<ColumnFacts>& facts);

// Returns a date in one column and its clock, or its hour as a number, in another. `date` comes
// from TimesOfColumn().
std::optional<TimeColumns> TimesOfDateAndClock(const SampledTable& table,
                                               const std::vector<ColumnFacts>& facts,
                                               const TimeColumns& date);

// A column with times in two notations: neither reads nine of ten values, but both together do. The
// first one reads more.
struct MixedTimes {
  TimeColumns most = {};
  TimeColumns others = {};
};
std::optional<MixedTimes> MixedTimesOfColumn(const SampledTable& table, size_t column,
                                             const ColumnFacts& facts);

// Whether a name says that a column holds times: "created_at". The sign of the word tells how much.
int TimeInName(const std::string& name);

}  // namespace tidemill::cli
