#include "models/training/losses/real_losses.h"

#include "torch/torch.h"

#include "models/losses/real_errors.h"

namespace tidemill::models {

torch::Tensor LossesOf(const Mse& /*spec*/, const torch::Tensor& output,
                       const torch::Tensor& target) {
  return RealErrors(output, target).square().mean(1);
}

torch::Tensor GradientsOf(const Mse& /*spec*/, const torch::Tensor& output,
                          const torch::Tensor& target) {
  return 2 * RealErrors(output, target) / static_cast<double>(output.size(1));
}

torch::Tensor LossesOf(const L1& /*spec*/, const torch::Tensor& output,
                       const torch::Tensor& target) {
  return RealErrors(output, target).abs().mean(1);
}

torch::Tensor GradientsOf(const L1& /*spec*/, const torch::Tensor& output,
                          const torch::Tensor& target) {
  return RealErrors(output, target).sign() / static_cast<double>(output.size(1));
}

torch::Tensor LossesOf(const Huber& spec, const torch::Tensor& output,
                       const torch::Tensor& target) {
  const torch::Tensor truth = target.to(output.scalar_type()).reshape_as(output);
  return torch::huber_loss(output, truth, at::Reduction::None, spec.delta).mean(1);
}

torch::Tensor GradientsOf(const Huber& spec, const torch::Tensor& output,
                          const torch::Tensor& target) {
  return RealErrors(output, target).clamp(-spec.delta, spec.delta) /
         static_cast<double>(output.size(1));
}

torch::Tensor LossesOf(const SmoothL1& spec, const torch::Tensor& output,
                       const torch::Tensor& target) {
  const torch::Tensor truth = target.to(output.scalar_type()).reshape_as(output);
  return torch::smooth_l1_loss(output, truth, at::Reduction::None, spec.beta).mean(1);
}

torch::Tensor GradientsOf(const SmoothL1& spec, const torch::Tensor& output,
                          const torch::Tensor& target) {
  return RealErrors(output, target).clamp(-spec.beta, spec.beta) /
         (spec.beta * static_cast<double>(output.size(1)));
}

}  // namespace tidemill::models
