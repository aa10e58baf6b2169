#include "models/training/losses/huber.h"

#include "torch/torch.h"

#include "models/losses/real_errors.h"

namespace tidemill::models {

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

}  // namespace tidemill::models
