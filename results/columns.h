// The columns in which rows of the table are shown.
//
// A new figure of a value is a field of evaluator.v1.Evaluation, the line that measures it, and a
// line in columns.cc. JSON and CSV have each column; a text and a page say the counts, added up
// over the rows that they pool.
#pragma once

#include <span>

#include "nlohmann/json.hpp"

#include "results/rows.h"

namespace tidemill::results {

struct Column {
  const char* name;
  // Null where the row has none.
  nlohmann::ordered_json (*of)(const Row& row);
  // What became of the samples of a count, which have no value: "could not be used".
  const char* words = nullptr;
  // Whether JSON leaves it out where the row has none.
  bool is_rare = false;
  bool in_csv = true;
};

// In the order of CSV, without the evaluation, which people count from 1 and programs from 0.
std::span<const Column> Columns();

// A row as an object with a key for each column.
nlohmann::ordered_json RowToJson(const Row& row);

}  // namespace tidemill::results
