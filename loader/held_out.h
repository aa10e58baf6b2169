// Samples that a training is measured on instead of trained on.
#pragma once

#include <cstdint>

#include "loader/training_set.h"

namespace tidemill::loader {

struct DividedSet {
  TrainingSet trained;
  TrainingSet held_out;
};

// Holds out about `share` of the keys by a hash of seed and key: a key drawn several times, or in
// several triggers, is always on the same side, so nothing is measured that was trained on. The
// parts keep the order of `set`. When all would be held out, nothing is.
DividedSet HoldOut(const TrainingSet& set, double share, int64_t seed);

}  // namespace tidemill::loader
