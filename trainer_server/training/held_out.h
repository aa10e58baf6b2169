// Samples that a training is measured on instead of trained on, and when to stop for their sake.
#pragma once

#include <cstdint>
#include <limits>

#include "loader/training_set.h"
#include "models/training_spec.h"

namespace tidemill::trainer_server {

struct DividedSet {
  loader::TrainingSet trained;
  loader::TrainingSet held_out;
};

// Holds out about `share` of the keys by a hash of seed and key: a key drawn several times, or in
// several triggers, is always on the same side, so nothing is measured that was trained on. The
// parts keep the order of `set`. When all would be held out, nothing is.
DividedSet HoldOut(const loader::TrainingSet& set, double share, int64_t seed);

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
