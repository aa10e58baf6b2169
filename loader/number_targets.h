// Finds targets of real values that are not finite numbers. Their samples are bad for trainings and
// for evaluations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "batch/batch.h"

namespace tidemill::loader {

struct NoNumber {
  int64_t row = 0;
  std::string reason;
};

// Returns the rows whose target has a real value that is not finite, ascending. Empty when the
// targets are classes, and without a target.
std::vector<NoNumber> FindNonFiniteTargets(const batch::Batch& rows);

}  // namespace tidemill::loader
