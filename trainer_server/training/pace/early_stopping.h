// Decides when to stop, by the samples held out from a training.
#pragma once

#include <cstdint>
#include <limits>

#include "models/training/training_spec.h"

namespace tidemill::trainer_server {

// The state of early stopping. It is a part of checkpoints.
struct StoppingState {
  double best = std::numeric_limits<double>::infinity();
  // The number of epochs since the best one.
  int64_t num_worse = 0;
  bool stopped = false;

  friend bool operator==(const StoppingState&, const StoppingState&) = default;
};

// Adds the held-out loss of an epoch. Returns whether this epoch's weights are the best so far.
bool Observe(const models::EarlyStopping& spec, double loss, StoppingState& state);

}  // namespace tidemill::trainer_server
