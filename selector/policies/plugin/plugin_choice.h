// The choice of a plug-in, as far as it has answered.
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

// Checks each answer, and keeps the rows until the whole choice is known to be valid.
// Thread-compatible.
class PluginChoice {
 public:
  // At most `most_rows` are chosen. `memory_budget`: bytes held in memory.
  PluginChoice(const std::string& folder, int64_t memory_budget, int64_t most_rows);

  // Takes the columns `row` and, where rows have one, `weight` of an answer. `candidates` are the
  // candidates that the plug-in has been shown so far. INVALID_ARGUMENT says what is wrong with the
  // answer.
  absl::Status Take(const batch::Batch& answer, const KeyColumn& candidates);

  int64_t num_rows() const { return keys_.size(); }

  // Checks that a model can be trained on the choice. INVALID_ARGUMENT when all weights are zero,
  // because the loss would be zero.
  absl::Status CheckWhole() const;

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
  // Whether some weight is greater than zero.
  bool has_weight_ = false;
  int64_t last_row_ = -1;
  // The rows of the answer that is checked.
  std::vector<int64_t> rows_;
  std::vector<float> row_weights_;
  std::vector<int64_t> row_keys_;
};

}  // namespace tidemill::selector
