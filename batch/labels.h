// Samples of which some have no label.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"

namespace tidemill::batch {

// The rows that have a label, ascending.
std::vector<int64_t> LabelledRows(const Batch& samples);

// Gives each batch the columns of labels that one of them has, without a value in any row, so that
// they can be concatenated: storage leaves out a label that none of a batch's samples has.
absl::Status AlignLabels(std::span<Batch> batches);

}  // namespace tidemill::batch
