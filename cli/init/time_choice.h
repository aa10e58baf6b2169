// Guesses the event times of a table's records.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "cli/init/look/guess.h"
#include "records/columns/column_facts.h"
#include "records/columns/sampled_table.h"

namespace tidemill::cli {

struct TimeChoice {
  Guess guess = {};
  // The columns of the event time, and other columns with times.
  std::set<size_t> columns = {};
  std::set<size_t> other_times = {};
  // Whether records have times. If not, their order is used.
  bool is_known = false;
  // The earliest and the latest time that was seen, when it is known.
  Timestamp first = {};
  Timestamp last = {};
  // Whether times have parts of a day.
  bool has_clock = false;
  // Whether records come in the order of their times.
  bool rises = false;
};

// Chooses the column, or the columns, of the time. `wished` is a column that the user names.
// INVALID_ARGUMENT when it does not hold times; the message lists the columns.
absl::StatusOr<TimeChoice> ChooseTime(const SampledTable& table,
                                      const std::vector<ColumnFacts>& facts,
                                      const std::optional<std::string>& wished);

}  // namespace tidemill::cli
