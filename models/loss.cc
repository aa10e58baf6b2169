#include "models/loss.h"

#include "base/overloaded.h"

namespace tidemill::models {
namespace {

namespace functional = torch::nn::functional;

torch::Tensor CrossEntropyOf(const CrossEntropy& spec, const torch::Tensor& output,
                             const torch::Tensor& target) {
  auto options = functional::CrossEntropyFuncOptions()
                     .reduction(torch::kNone)
                     .label_smoothing(spec.label_smoothing);
  if (!spec.class_weights.empty()) {
    options.weight(torch::tensor(spec.class_weights, output.options()));
  }
  return functional::cross_entropy(output, target, options);
}

torch::Tensor BceOf(const BceWithLogits& spec, const torch::Tensor& output,
                    const torch::Tensor& target) {
  const torch::Tensor truth = target.to(output.scalar_type()).reshape_as(output);
  return torch::binary_cross_entropy_with_logits(
             output, truth, {}, torch::full({1}, spec.positive_weight, output.options()),
             at::Reduction::None)
      .flatten(1)
      .mean(1);
}

}  // namespace

absl::Status CheckTargets(const Loss& loss, const torch::Tensor& target, int64_t outputs) {
  if (!IsOfClasses(loss)) {
    const int64_t width = target.numel() / std::max<int64_t>(1, target.size(0));
    if (width == outputs) return absl::OkStatus();
    return InvalidArgument("targets have {} numbers where the model has {} outputs", width,
                           outputs);
  }
  if (target.dim() != 1 || target.scalar_type() != torch::kInt64) {
    return InvalidArgument(
        "loss {} needs class targets, one whole number each; "
        "use loss: mse for real ones",
        TypeName(loss));
  }
  const bool is_binary = std::holds_alternative<BceWithLogits>(loss);
  if (is_binary && outputs != 1) {
    return InvalidArgument("loss bce_with_logits needs one output, the model has {}", outputs);
  }
  const int64_t num_classes = is_binary ? 2 : outputs;
  const auto least = target.min().item<int64_t>();
  const auto most = target.max().item<int64_t>();
  if (least >= 0 && most < num_classes) return absl::OkStatus();
  return InvalidArgument("a target is class {} where the model has {} {}", least < 0 ? least : most,
                         num_classes, is_binary ? "classes" : "outputs");
}

torch::Tensor SampleLosses(const Loss& loss, const torch::Tensor& output,
                           const torch::Tensor& target) {
  const auto real = [&] { return target.to(output.scalar_type()).reshape_as(output); };
  return std::visit(
      Overloaded{
          [&](const CrossEntropy& spec) { return CrossEntropyOf(spec, output, target); },
          [&](const BceWithLogits& spec) { return BceOf(spec, output, target); },
          [&](const Mse&) { return (output - real()).square().mean(1); },
          [&](const L1&) { return (output - real()).abs().mean(1); },
          [&](const Huber& spec) {
            return torch::huber_loss(output, real(), at::Reduction::None, spec.delta).mean(1);
          }},
      loss);
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
