// Handles batches in which some samples have no label.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"

namespace tidemill::batch {

// Returns the rows that have a label, ascending.
std::vector<int64_t> LabelledRows(const Batch& samples);

// Adds to each batch the label columns of the other batches, without a value in any row. The
// batches can then be concatenated. Storage leaves out a label that none of a batch's samples has.
absl::Status AlignLabels(std::span<Batch> batches);

// Gives every sample placeholder labels in place of its own, so that a graph leaves out no sample
// whose label is missing.
absl::Status ForgetLabels(Batch& samples);

}  // namespace tidemill::batch
