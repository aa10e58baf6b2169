// When to stop for the sake of the samples that a training is measured on.
#pragma once

#include <cstdint>
#include <limits>

#include "models/training/training_spec.h"

namespace tidemill::trainer_server {

// What early stopping has seen; part of checkpoints.
struct StoppingState {
  double best = std::numeric_limits<double>::infinity();
  // Epochs since the best.
  int64_t num_worse = 0;
  bool stopped = false;

  friend bool operator==(const StoppingState&, const StoppingState&) = default;
};

// Takes the held-out loss of an epoch. Returns whether its weights are the best so far.
bool Observe(const models::EarlyStopping& spec, double loss, StoppingState& state);

}  // namespace tidemill::trainer_server
