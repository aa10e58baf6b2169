// Where a training computes, and how torch is set for it.
#pragma once

#include <cstdint>

#include "torch/torch.h"

#include "base/status.h"
#include "models/training/training_spec.h"

namespace tidemill::trainer_server {

// Sets what must not differ between two runs of the same training: the number of threads and
// deterministic algorithms. Call it first in the process.
void MakeDeterministic(int64_t num_threads);

// The device to train on. FAILED_PRECONDITION when a GPU is asked for and there is none.
absl::StatusOr<torch::Device> ChooseDevice(models::Device device);

}  // namespace tidemill::trainer_server
