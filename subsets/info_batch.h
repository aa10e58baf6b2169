// Leaves out samples that the model has already learnt well (Qin et al., InfoBatch, ICLR 2024).
#pragma once

#include <span>

#include "base/numbers/random.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

// Keeps the share 1 - prune of the rows whose loss is below the mean, drawn uniformly (rounded
// down, at least one). All other rows stay. Weights are (rows below) / (kept of them) for the rows
// below the mean, and 1 for the others. They add up to the number of all rows: sum(w x) /
// losses.size() is an unbiased estimate of their mean. Unlike in a Choice, the sum is not divided
// by the number of kept rows. A loss that is not finite, such as NaN for a sample that was not seen
// yet, is not in the mean, and its row stays. `prune` is in [0, 1). Rows ascend.
Choice LeaveOutWellLearnt(std::span<const float> losses, double prune, const RandomKey& random);

}  // namespace tidemill::subsets
