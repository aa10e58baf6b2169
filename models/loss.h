// Losses as tensors.
#pragma once

#include "torch/torch.h"

#include "base/status.h"
#include "models/training/losses/loss_spec.h"

namespace tidemill::models {

// The loss of each sample, [n], for outputs [n, k]. Cross entropy: targets [n] int64, classes below
// k. With logits: targets [n] int64, 0 or 1, and k = 1. Others: targets [n] or [n, k] of any number
// type. Targets must have passed CheckTargets(). Throws c10::Error: call it in Guard().
torch::Tensor SampleLosses(const LossSpec& loss, const torch::Tensor& output,
                           const torch::Tensor& target);

// dL / d outputs of each sample, [n, outputs]: for cross entropy p - y where there are no class
// weights and no smoothing. Throws c10::Error.
torch::Tensor OutputGradients(const LossSpec& loss, const torch::Tensor& output,
                              const torch::Tensor& target);

// Checks targets on the CPU against the spec, before they go to a device. INVALID_ARGUMENT.
absl::Status CheckTargets(const LossSpec& loss, const torch::Tensor& target, int64_t outputs);

// sum(weight * loss), or the sum without weights (an undefined tensor).
torch::Tensor WeightedSum(const torch::Tensor& losses, const torch::Tensor& weights);

// The loss of a batch: sum(weight * loss) / (number of samples), or the mean without weights. With
// the weights of a draw it estimates the mean over all that was drawn from, without a bias.
torch::Tensor WeightedMean(const torch::Tensor& losses, const torch::Tensor& weights);

// sum(weight * loss) / sum(weight), or the mean without weights. Weights that sum to zero give
// zero.
torch::Tensor SelfNormalisedMean(const torch::Tensor& losses, const torch::Tensor& weights);

}  // namespace tidemill::models
