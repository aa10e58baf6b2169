// Guesses the column of the label, and its kind.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/init/look/guess.h"
#include "records/columns/column_facts.h"
#include "records/columns/sampled_table.h"

namespace tidemill::cli {

enum class Task { kClassification, kRegression };

struct LabelChoice {
  Guess guess = {};
  size_t column = 0;
  Task task = Task::kClassification;
  std::vector<std::string> classes = {};  // For a classification.
  // The sampled records of the rarest class, and of the most frequent one.
  int64_t rarest = 0;
  int64_t most_frequent = 0;
};

struct LabelWishes {
  std::optional<std::string> column = {};
  std::optional<Task> task = {};
};

// Chooses the label among the columns that are not in `taken`. INVALID_ARGUMENT when the requested
// column does not exist or does not fit the requested task, and when no column can be a label; the
// message lists the columns.
absl::StatusOr<LabelChoice> ChooseLabel(const SampledTable& table,
                                        const std::vector<ColumnFacts>& facts,
                                        const std::set<size_t>& taken, const LabelWishes& wishes);

// Returns the columns that may be the label, the most likely one first.
std::vector<size_t> LabelCandidates(const std::vector<ColumnFacts>& facts,
                                    const std::set<size_t>& taken);

}  // namespace tidemill::cli
