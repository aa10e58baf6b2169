#include "models/training/losses/cross_entropy.h"

#include "torch/torch.h"

namespace tidemill::models {

torch::Tensor LossesOf(const CrossEntropy& spec, const torch::Tensor& output,
                       const torch::Tensor& target) {
  namespace functional = torch::nn::functional;
  auto options = functional::CrossEntropyFuncOptions()
                     .reduction(torch::kNone)
                     .label_smoothing(spec.label_smoothing);
  if (!spec.class_weights.empty()) {
    options.weight(torch::tensor(spec.class_weights, output.options()));
  }
  return functional::cross_entropy(output, target, options);
}

torch::Tensor GradientsOf(const CrossEntropy& spec, const torch::Tensor& output,
                          const torch::Tensor& target) {
  const int64_t num_classes = output.size(1);
  const torch::Tensor p = torch::softmax(output, 1);
  const torch::Tensor truth = torch::one_hot(target, num_classes).to(torch::kFloat32);
  torch::Tensor weights = torch::ones({num_classes}, p.options());
  if (!spec.class_weights.empty()) weights = torch::tensor(spec.class_weights, p.options());
  // The loss is -sum q log p, where q is weighted and smoothed and does not add up to 1.
  const torch::Tensor q = weights * (truth * (1 - spec.label_smoothing) +
                                     spec.label_smoothing / static_cast<double>(num_classes));
  return p * q.sum(1, /*keepdim=*/true) - q;
}

}  // namespace tidemill::models
