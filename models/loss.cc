#include "models/loss.h"

namespace tidemill::models {

absl::Status CheckTargets(Loss loss, const torch::Tensor& target, int64_t outputs) {
  if (loss == Loss::kMse) {
    const int64_t width = target.numel() / std::max<int64_t>(1, target.size(0));
    if (width == outputs) return absl::OkStatus();
    return InvalidArgument("targets have {} numbers where the model has {} outputs", width,
                           outputs);
  }
  if (target.dim() != 1 || target.scalar_type() != torch::kInt64) {
    return InvalidArgument(
        "loss cross_entropy needs class targets, one whole number each; "
        "use loss: mse for real ones");
  }
  const auto least = target.min().item<int64_t>();
  const auto most = target.max().item<int64_t>();
  if (least >= 0 && most < outputs) return absl::OkStatus();
  return InvalidArgument("a target is class {} where the model has {} outputs",
                         least < 0 ? least : most, outputs);
}

absl::StatusOr<torch::Tensor> SampleLosses(Loss loss, const torch::Tensor& output,
                                           const torch::Tensor& target) {
  if (loss == Loss::kCrossEntropy) {
    return torch::nn::functional::cross_entropy(
        output, target, torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kNone));
  }
  const torch::Tensor difference = output - target.to(output.scalar_type()).reshape(output.sizes());
  return difference.square().mean(1);
}

torch::Tensor WeightedMean(const torch::Tensor& losses, const torch::Tensor& weights) {
  if (!weights.defined()) return losses.mean();
  const torch::Tensor total = weights.sum();
  if (total.item<float>() == 0) return (losses * weights).sum();
  return (losses * weights).sum() / total;
}

}  // namespace tidemill::models
