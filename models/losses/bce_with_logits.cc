#include "models/training/losses/bce_with_logits.h"

#include "torch/torch.h"

namespace tidemill::models {

torch::Tensor LossesOf(const BceWithLogits& spec, const torch::Tensor& output,
                       const torch::Tensor& target) {
  const torch::Tensor truth = target.to(output.scalar_type()).reshape_as(output);
  return torch::binary_cross_entropy_with_logits(
             output, truth, {}, torch::full({1}, spec.positive_weight, output.options()),
             at::Reduction::None)
      .flatten(1)
      .mean(1);
}

torch::Tensor GradientsOf(const BceWithLogits& spec, const torch::Tensor& output,
                          const torch::Tensor& target) {
  const torch::Tensor truth = target.to(torch::kFloat32).reshape_as(output);
  const torch::Tensor p = torch::sigmoid(output);
  return (1 - truth) * p - spec.positive_weight * truth * (1 - p);
}

}  // namespace tidemill::models
