// Holds samples out of a training, to measure the model on them.
#pragma once

#include <cstdint>

#include "loader/training_set.h"

namespace tidemill::loader {

struct DividedSet {
  TrainingSet trained;
  TrainingSet held_out;
};

// Holds out about `share` of the keys, by a hash of seed and key. A key that is in the set several
// times, or in the sets of several triggers, is always in the same part. So no sample is used both
// for training and for measuring. Both parts keep the order of `set`. When all samples would be
// held out, none is.
DividedSet HoldOut(const TrainingSet& set, double share, int64_t seed);

}  // namespace tidemill::loader
