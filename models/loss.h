// Computes losses as tensors.
#pragma once

#include "torch/torch.h"

#include "base/status.h"
#include "models/training/losses/loss_spec.h"

namespace tidemill::models {

// Returns the loss of each sample, [n], for outputs [n, k]. The targets depend on the loss. Cross
// entropy takes [n] int64, classes below k. The loss with logits takes [n] int64, 0 or 1, and k =
// 1. Others take [n] or [n, k] of any number type. Targets must have passed CheckTargets(). Throws
// c10::Error: call it in Guard().
torch::Tensor SampleLosses(const LossSpec& loss, const torch::Tensor& output,
                           const torch::Tensor& target);

// Returns dL / d outputs of each sample, [n, outputs]. For cross entropy without class weights and
// smoothing, it is p - y. Throws c10::Error.
torch::Tensor OutputGradients(const LossSpec& loss, const torch::Tensor& output,
                              const torch::Tensor& target);

// Checks targets on the CPU against the spec, before they go to a device. INVALID_ARGUMENT.
absl::Status CheckTargets(const LossSpec& loss, const torch::Tensor& target, int64_t outputs);

// Returns sum(weight * loss), or the plain sum when there are no weights (an undefined tensor).
torch::Tensor WeightedSum(const torch::Tensor& losses, const torch::Tensor& weights);

// Returns the loss of a batch: sum(weight * loss) / (number of samples), or the mean without
// weights. With the weights of a draw, it is an unbiased estimate of the mean over the whole
// population of the draw.
torch::Tensor WeightedMean(const torch::Tensor& losses, const torch::Tensor& weights);

// Returns sum(weight * loss) / sum(weight), or the mean without weights. Weights that sum to zero
// give zero.
torch::Tensor SelfNormalisedMean(const torch::Tensor& losses, const torch::Tensor& weights);

}  // namespace tidemill::models
