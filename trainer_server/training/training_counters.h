// The progress of a training, and what is derived from it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "loader/batch_source.h"
#include "models/training/training_spec.h"

namespace tidemill::trainer_server {

// The counters of a training. They are a part of its checkpoints.
struct TrainingCounters {
  // The number of batches over all epochs. It includes batches that were skipped because they were
  // empty or had no finite loss.
  int64_t batches = 0;
  int64_t samples = 0;  // Including holes.
  int64_t num_skipped = 0;
  // The samples skipped before the current epoch, and the most in one epoch that has ended.
  int64_t skipped_before_epoch = 0;
  int64_t most_skipped = 0;
  // The samples that the graph has filtered in the current epoch, and the most in one epoch that
  // has ended.
  int64_t filtered_in_epoch = 0;
  int64_t most_filtered = 0;
  // The steps of the optimiser: the position in the schedule of the learning rate.
  int64_t num_steps = 0;
  // The batches left out because their loss was not finite: all of them, and the last ones in a
  // row.
  int64_t num_not_finite = 0;
  int64_t num_not_finite_in_row = 0;
  // The number of epochs that have ended; the batches of the current epoch; and the counts at its
  // start.
  int64_t epoch = 0;
  int64_t epoch_batches = 0;
  int64_t steps_before_epoch = 0;
  int64_t samples_before_epoch = 0;
  // Counted in the current epoch.
  double loss_sum = 0;
  int64_t loss_samples = 0;
  // The mean loss of the last epoch that ended with one.
  double last_epoch_loss = 0;

  // The number of unusable samples in the epoch with the most of them. `num_skipped` counts such a
  // sample again in each epoch.
  int64_t num_bad() const { return std::max(most_skipped, num_skipped - skipped_before_epoch); }

  // The number of samples that the graph has filtered in the epoch with the most of them.
  int64_t num_filtered() const { return std::max(most_filtered, filtered_in_epoch); }

  double loss() const {
    return loss_samples > 0 ? loss_sum / static_cast<double>(loss_samples) : last_epoch_loss;
  }

  // Counts a batch.
  void Count(int64_t num_rows, int64_t skipped, int64_t filtered);
  // The epoch has ended; the next one begins.
  void EndEpoch();
};

// Returns the number of optimiser steps in a whole training, which the schedule of the learning
// rate spans. It is the number of steps before the current epoch, and for each epoch from this one
// on the number of batches that the source has now.
int64_t NumSteps(const models::TrainingSpec& spec, const TrainingCounters& counters,
                 const loader::BatchSource& source);

// FAILED_PRECONDITION when one epoch has more unusable samples than training.max_bad_samples
// allows.
absl::Status CheckLimit(const TrainingCounters& counters, const models::TrainingSpec& spec,
                        std::string_view reason);

// FAILED_PRECONDITION when more samples were unreadable than training.max_bad_fraction allows.
// `reason` says why one of them was unreadable; it may be empty.
absl::Status CheckHoles(int64_t num_skipped, int64_t num_samples, double max_bad_fraction,
                        std::string_view reason);

}  // namespace tidemill::trainer_server
