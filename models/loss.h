// What a network is trained to make small.
#pragma once

#include "torch/torch.h"

#include "base/status.h"
#include "models/training_spec.h"

namespace tidemill::models {

// The loss of each sample, [n], for outputs [n, k]. Cross entropy: targets [n] int64, classes below
// k. Mean squared error: targets [n] or [n, k] of any number type. INVALID_ARGUMENT for targets
// that do not suit, which are checked before a device sees them. Throws c10::Error: call it in
// Guard().
absl::StatusOr<torch::Tensor> SampleLosses(Loss loss, const torch::Tensor& output,
                                           const torch::Tensor& target);

// Checks targets on the CPU against the spec, before they go to a device. INVALID_ARGUMENT.
absl::Status CheckTargets(Loss loss, const torch::Tensor& target, int64_t outputs);

// The loss of a batch: sum(weight * loss) / sum(weight), or the mean without weights (an undefined
// tensor). Weights that sum to zero give zero.
torch::Tensor WeightedMean(const torch::Tensor& losses, const torch::Tensor& weights);

}  // namespace tidemill::models
