// How far a training is, and what follows from that.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "loader/batch_source.h"
#include "models/training/training_spec.h"

namespace tidemill::trainer_server {

// Counters of a training; part of its checkpoints.
struct TrainingCounters {
  // Trained or, if empty or without a finite loss, passed over; through all epochs.
  int64_t batches = 0;
  int64_t samples = 0;  // Holes included.
  int64_t num_skipped = 0;
  // Of the optimiser: the position in the schedule of the learning rate.
  int64_t num_steps = 0;
  // Batches left out because the loss was not a finite number: all, and in a row until now.
  int64_t num_not_finite = 0;
  int64_t num_not_finite_in_row = 0;
  // Epochs that have ended, batches of the present one, and what there was before it.
  int64_t epoch = 0;
  int64_t epoch_batches = 0;
  int64_t steps_before_epoch = 0;
  int64_t samples_before_epoch = 0;
  // Of the present epoch.
  double loss_sum = 0;
  int64_t loss_samples = 0;
  // Mean loss of the last epoch that ended with one.
  double last_epoch_loss = 0;

  double loss() const {
    return loss_samples > 0 ? loss_sum / static_cast<double>(loss_samples) : last_epoch_loss;
  }
};

// Steps of the optimiser in a whole training: what the learning rate's schedule spans. Those made
// before the present epoch, and as many in all epochs from it on as the source has batches for now.
int64_t NumSteps(const models::TrainingSpec& spec, const TrainingCounters& counters,
                 const loader::BatchSource& source);

// FAILED_PRECONDITION when more samples were unreadable than training.max_bad_fraction admits.
// `reason` says why one was, or nothing.
absl::Status CheckHoles(int64_t num_skipped, int64_t num_samples, double max_bad_fraction,
                        std::string_view reason);

}  // namespace tidemill::trainer_server
