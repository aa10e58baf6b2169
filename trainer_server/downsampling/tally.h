// Counts what downsampling has done during a training.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"

namespace tidemill::trainer_server {

// Counts by epoch, for the first kMaxEpochs epochs. Thread-compatible.
class Tally {
 public:
  static constexpr size_t kMaxEpochs = 1000;

  struct Epoch {
    int64_t num_chosen = 0;
    int64_t num_scored = 0;
    double weight_sum = 0;
    double square_sum = 0;

    // (sum of weights)^2 / (sum of their squares).
    double effective_size() const {
      return square_sum > 0 ? weight_sum * weight_sum / square_sum : 0;
    }
  };

  // Counts a choice, or a part of one, for the last epoch or the next one. Empty weights mean 1
  // each.
  void Add(int64_t epoch, int64_t num_chosen, const std::vector<float>& weights,
           int64_t num_scored);

  // Converts the counts to numbers for a checkpoint, and back. DATA_LOSS.
  std::vector<double> Save() const;
  static absl::StatusOr<Tally> Load(const std::vector<double>& numbers);

  std::vector<Epoch> epochs;
  int64_t num_epochs = 0;  // Started epochs, including those after kMaxEpochs.
  // Counted in the passes that scored.
  int64_t num_skipped = 0;
  int64_t most_skipped = 0;   // In one pass.
  int64_t most_filtered = 0;  // In one pass.
  int64_t num_not_finite = 0;
  double scoring_seconds = 0;
};

}  // namespace tidemill::trainer_server
