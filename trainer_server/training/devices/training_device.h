// The settings of torch for a training.
#pragma once

#include <cstdint>

namespace tidemill::trainer_server {

// Sets the number of threads, and deterministic algorithms, so that two runs of a training give the
// same weights. Call it first in the process.
void MakeDeterministic(int64_t num_threads);

}  // namespace tidemill::trainer_server
