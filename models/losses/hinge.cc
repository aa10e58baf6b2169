#include "models/training/losses/hinge.h"

#include "torch/torch.h"

namespace tidemill::models {
namespace {

// 1 for class 1 and -1 for class 0, as [n, 1].
torch::Tensor SignsOf(const torch::Tensor& output, const torch::Tensor& target) {
  return target.to(output.scalar_type()).reshape_as(output) * 2 - 1;
}

}  // namespace

torch::Tensor LossesOf(const Hinge& spec, const torch::Tensor& output,
                       const torch::Tensor& target) {
  return (spec.margin - SignsOf(output, target) * output).clamp_min(0).flatten(1).mean(1);
}

torch::Tensor GradientsOf(const Hinge& spec, const torch::Tensor& output,
                          const torch::Tensor& target) {
  const torch::Tensor signs = SignsOf(output, target);
  return -signs * (signs * output).lt(spec.margin).to(output.scalar_type());
}

torch::Tensor LossesOf(const MulticlassHinge& spec, const torch::Tensor& output,
                       const torch::Tensor& target) {
  return torch::multi_margin_loss(output, target, /*p=*/1, spec.margin, {}, at::Reduction::None);
}

torch::Tensor GradientsOf(const MulticlassHinge& spec, const torch::Tensor& output,
                          const torch::Tensor& target) {
  const torch::Tensor place = target.unsqueeze(1);
  const torch::Tensor lacks = spec.margin - output.gather(1, place) + output;
  // The class itself is none of the others.
  torch::Tensor gradients = lacks.gt(0).to(output.scalar_type()).scatter(1, place, 0);
  gradients = gradients.scatter(1, place, -gradients.sum(1, /*keepdim=*/true));
  return gradients / static_cast<double>(output.size(1));
}

}  // namespace tidemill::models
