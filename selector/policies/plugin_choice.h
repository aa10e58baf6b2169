// What a plug-in has chosen, as far as it has said so.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "selector/columns/key_column.h"
#include "selector/columns/number_column.h"
#include "selector/columns/training_set_file.h"

namespace tidemill::selector {

// Looks at what comes, and keeps it until nothing can go wrong any more. Thread-compatible.
class PluginChoice {
 public:
  // At most `most_rows` are chosen. `memory_budget`: bytes held in memory.
  PluginChoice(const std::string& folder, int64_t memory_budget, int64_t most_rows);

  // Takes the columns `row` and, where rows have one, `weight` of an answer. `candidates` are those
  // that it has been shown so far. INVALID_ARGUMENT says what is wrong with them.
  absl::Status Take(const batch::Batch& answer, const KeyColumn& candidates);

  int64_t num_rows() const { return keys_.size(); }

  // Writes the choice. `into` must not be open yet.
  absl::Status WriteTo(TrainingSetWriter& into);

 private:
  absl::Status CheckRows(int64_t num_candidates) const;
  absl::Status TakeWeights(const batch::Batch& answer);

  std::string folder_;
  int64_t memory_budget_;
  int64_t most_rows_;
  KeyColumn keys_;
  std::unique_ptr<NumberColumn<float>> weights_;
  // std::nullopt before the first row.
  std::optional<bool> is_weighted_;
  int64_t last_row_ = -1;
  // Of the answer that is looked at.
  std::vector<int64_t> rows_;
  std::vector<float> row_weights_;
  std::vector<int64_t> row_keys_;
};

}  // namespace tidemill::selector
