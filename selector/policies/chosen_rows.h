// Writes what the algorithms of subsets/ chose.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "selector/columns/training_set_file.h"
#include "subsets/rows.h"

namespace tidemill::selector {

// The entries keys[row] of the chosen rows, in ascending order of the rows, whatever order they
// were chosen in, with their weights. `into` is not yet open. INTERNAL unless each row is there,
// and chosen once.
absl::Status WriteChosenRows(subsets::Choice choice, std::span<const int64_t> keys,
                             TrainingSetWriter& into);

}  // namespace tidemill::selector
