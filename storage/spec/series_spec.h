// The `series` section of a dataset: a sample is a window of rows rather than one row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "config/config.h"

namespace tidemill::storage {

// A row of a file, its *anchor*, becomes a sample together with the rows right before it. Its label
// is the label of a row after it. All of these rows are in one file and one group, without a gap:
//
//    row:      1  2  3  4  5  6  7        history: 3, horizon: 2
//             [h  h  a] .  t              anchor 3 -> payload: rows 1 to 3, label of row 5
//                [h  h  a] .  t           anchor 4 -> payload: rows 2 to 4, label of row 6
//
// Windows overlap; no byte of a row is stored twice.
struct SeriesSpec {
  std::optional<std::string> group;
  int64_t history = 1;
  int64_t horizon = 0;
  std::optional<std::string> target;
  std::optional<Duration> step;

  void Fields(auto&& field) {
    field("group", group,
          "Column of a CSV file. Each of its values is a separate series, such as a trip or a "
          "station. The rows of a series must be adjacent. Absent: each file is one series.",
          {.example = "trip"});
    field("history", history, "Rows in a sample: its own row and the ones right before it.",
          {.min = 1, .max = 100'000, .example = "30"});
    field("horizon", horizon, "How many rows ahead the label is.",
          {.min = 0, .max = 1'000'000, .example = "5"});
    field("target", target,
          "Column of real numbers to forecast. It replaces the `label` section. Absent: the label "
          "of the row `horizon` ahead.",
          {.example = "speed_kmh"});
    field("step", step,
          "Time from one row to the next. Any other distance is a gap, and no sample spans a gap. "
          "Absent: there is a gap where the time goes back.",
          {.example = "1h"});
  }
  void Check(config::Problems& problems) const {
    if (step && step->micros <= 0) {
      problems.Add("step", "is not positive", "write a length such as 1h");
    }
  }
};

}  // namespace tidemill::storage
