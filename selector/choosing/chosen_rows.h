// Writes the choice of an algorithm of subsets/.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "selector/columns/training_set_file.h"
#include "subsets/rows.h"

namespace tidemill::selector {

// Writes the entries keys[row] of the chosen rows with their weights. They are written in ascending
// order of the rows, whatever order they were chosen in. `into` must not be open yet. INTERNAL when
// a row does not exist, or is chosen twice.
absl::Status WriteChosenRows(subsets::Choice choice, std::span<const int64_t> keys,
                             TrainingSetWriter& into);

}  // namespace tidemill::selector
