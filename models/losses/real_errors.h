// The differences between outputs and real targets.
#pragma once

#include "torch/torch.h"

namespace tidemill::models {

// Returns [n, k] for outputs [n, k] and as many targets of any number type. Throws c10::Error.
torch::Tensor RealErrors(const torch::Tensor& output, const torch::Tensor& target);

}  // namespace tidemill::models
