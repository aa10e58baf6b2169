// Leaving out samples that are learnt well already (Qin et al., InfoBatch, ICLR 2024).
#pragma once

#include <span>

#include "base/random.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

// Of the rows whose loss is below the mean, keeps the share 1 - prune (rounded down, at least one),
// drawn uniformly; all others stay. Weights are 1, and (rows below) / (kept of them) for the rows
// below the mean, so they add up to the number of all rows: sum(w x) / losses.size() is unbiased
// for their mean (unlike Choice's, the sum is not divided by the number kept). A loss that is not
// finite, such as NaN for a sample that was not seen yet, is not in the mean, and its row stays.
// `prune` is in [0, 1). Rows ascend.
Choice LeaveOutWellLearnt(std::span<const float> losses, double prune, const RandomKey& random);

}  // namespace tidemill::subsets
