#include "models/training/losses/l1.h"

#include "torch/torch.h"

#include "models/losses/real_errors.h"

namespace tidemill::models {

torch::Tensor LossesOf(const L1& /*spec*/, const torch::Tensor& output,
                       const torch::Tensor& target) {
  return RealErrors(output, target).abs().mean(1);
}

torch::Tensor GradientsOf(const L1& /*spec*/, const torch::Tensor& output,
                          const torch::Tensor& target) {
  return RealErrors(output, target).sign() / static_cast<double>(output.size(1));
}

}  // namespace tidemill::models
