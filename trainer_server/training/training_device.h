// The device on which a training computes, and the settings of torch.
#pragma once

#include <cstdint>

#include "torch/torch.h"

#include "base/status.h"
#include "models/training/training_spec.h"

namespace tidemill::trainer_server {

// Sets the number of threads, and deterministic algorithms, so that two runs of a training give the
// same weights. Call it first in the process.
void MakeDeterministic(int64_t num_threads);

// Returns the device to train on. FAILED_PRECONDITION when a GPU is requested and there is none.
absl::StatusOr<torch::Device> ChooseDevice(models::Device device);

}  // namespace tidemill::trainer_server
