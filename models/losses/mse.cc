#include "models/training/losses/mse.h"

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

}  // namespace tidemill::models
