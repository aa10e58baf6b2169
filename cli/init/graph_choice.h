// Guesses how the columns of a table become the input of a model.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/init/look/guess.h"
#include "cli/init/time_choice.h"
#include "records/columns/column_facts.h"

namespace tidemill::cli {

struct GraphChoice {
  std::vector<Guess> ops = {};             // In the order of the graph.
  std::vector<std::string> left_out = {};  // "'id': each record has another one".
  std::vector<std::string> unknown = {};   // Open questions, each with its remedy.
  int64_t num_columns = 0;                 // The columns that the model sees.
  // The ids of the input's embedding, when the input is a text; else 0.
  int64_t vocabulary = 0;
  // The ids of each category, when the input is ids of users, items and the like; else empty.
  std::vector<int64_t> categories = {};
  // Whether there are numbers beside these.
  bool has_numbers = false;
};

// The inputs of the choice.
struct GraphSource {
  const std::vector<ColumnFacts>& facts;
  std::set<size_t> taken = {};  // The label and the time.
  const TimeChoice& time;
  bool json = false;   // The records are lines of JSON.
  bool whole = false;  // Every record was read.
};

// INVALID_ARGUMENT when no column can be learned from; the message gives the reason for each
// column.
absl::StatusOr<GraphChoice> ChooseGraph(const GraphSource& source);

}  // namespace tidemill::cli
