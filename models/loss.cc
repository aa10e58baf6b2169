#include "models/loss.h"

#include <algorithm>

#include "models/training/losses/losses.h"

namespace tidemill::models {

absl::Status CheckTargets(const LossSpec& loss, const torch::Tensor& target, int64_t outputs) {
  if (!loss->IsOfClasses()) {
    const int64_t width = target.numel() / std::max<int64_t>(1, target.size(0));
    if (width == outputs) return absl::OkStatus();
    return InvalidArgument("targets have {} numbers, but the model has {} outputs", width, outputs);
  }
  if (target.dim() != 1 || target.scalar_type() != torch::kInt64) {
    return InvalidArgument(
        "loss {} needs class targets, one whole number each; "
        "use loss: mse for real ones",
        loss.type());
  }
  const bool is_binary = loss->OfClasses() == ClassOutputs::kSigmoid;
  if (is_binary && outputs != 1) {
    return InvalidArgument("loss {} needs one output, but the model has {}", loss.type(), outputs);
  }
  const int64_t num_classes = is_binary ? 2 : outputs;
  const auto least = target.min().item<int64_t>();
  const auto most = target.max().item<int64_t>();
  if (least >= 0 && most < num_classes) return absl::OkStatus();
  return InvalidArgument("a target is class {}, but the model has {} {}", least < 0 ? least : most,
                         num_classes, is_binary ? "classes" : "outputs");
}

torch::Tensor SampleLosses(const LossSpec& loss, const torch::Tensor& output,
                           const torch::Tensor& target) {
  return config::Dispatch(Losses(), loss,
                          [&](const auto& spec) { return LossesOf(spec, output, target); });
}

torch::Tensor OutputGradients(const LossSpec& loss, const torch::Tensor& output,
                              const torch::Tensor& target) {
  return config::Dispatch(Losses(), loss,
                          [&](const auto& spec) { return GradientsOf(spec, output, target); });
}

torch::Tensor WeightedSum(const torch::Tensor& losses, const torch::Tensor& weights) {
  return weights.defined() ? (losses * weights).sum() : losses.sum();
}

torch::Tensor WeightedMean(const torch::Tensor& losses, const torch::Tensor& weights) {
  return weights.defined() ? (losses * weights).mean() : losses.mean();
}

torch::Tensor SelfNormalisedMean(const torch::Tensor& losses, const torch::Tensor& weights) {
  if (!weights.defined()) return losses.mean();
  const torch::Tensor total = weights.sum();
  if (total.item<float>() == 0) return (losses * weights).sum();
  return (losses * weights).sum() / total;
}

}  // namespace tidemill::models
