#include "models/training/losses/focal.h"

#include <limits>

#include "torch/torch.h"

namespace tidemill::models {
namespace {

// Above zero, where each power has a finite derivative.
constexpr double kLeast = std::numeric_limits<float>::epsilon() * 1e-3;

// (1 - p)^gamma * -log(p) of the logarithms of p.
torch::Tensor FocalOf(const torch::Tensor& log_p, double gamma) {
  const torch::Tensor rest = (-torch::expm1(log_p)).clamp_min(kLeast);
  return -rest.pow(gamma) * log_p;
}

// Its derivative by log(p).
torch::Tensor FocalSlope(const torch::Tensor& log_p, double gamma) {
  const torch::Tensor rest = (-torch::expm1(log_p)).clamp_min(kLeast);
  return rest.pow(gamma - 1) * (gamma * log_p.exp() * log_p - rest);
}

// The factors of the samples' classes.
torch::Tensor FactorsOf(const MulticlassFocal& spec, const torch::Tensor& output,
                        const torch::Tensor& target) {
  if (spec.alpha.empty()) return torch::ones({target.size(0)}, output.options());
  return torch::tensor(spec.alpha, output.options()).index_select(0, target);
}

}  // namespace

torch::Tensor LossesOf(const Focal& spec, const torch::Tensor& output,
                       const torch::Tensor& target) {
  const torch::Tensor truth = target.to(output.scalar_type()).reshape_as(output);
  const torch::Tensor factors = truth * (2 * spec.alpha - 1) + (1 - spec.alpha);
  const torch::Tensor log_p = torch::log_sigmoid((truth * 2 - 1) * output);
  return (factors * FocalOf(log_p, spec.gamma)).flatten(1).mean(1);
}

torch::Tensor GradientsOf(const Focal& spec, const torch::Tensor& output,
                          const torch::Tensor& target) {
  const torch::Tensor truth = target.to(output.scalar_type()).reshape_as(output);
  const torch::Tensor factors = truth * (2 * spec.alpha - 1) + (1 - spec.alpha);
  const torch::Tensor signs = truth * 2 - 1;
  const torch::Tensor log_p = torch::log_sigmoid(signs * output);
  // The derivative of log(sigmoid(z)) by z is 1 - p.
  return factors * signs * FocalSlope(log_p, spec.gamma) * -torch::expm1(log_p);
}

torch::Tensor LossesOf(const MulticlassFocal& spec, const torch::Tensor& output,
                       const torch::Tensor& target) {
  const torch::Tensor log_p =
      torch::log_softmax(output, 1).gather(1, target.unsqueeze(1)).squeeze(1);
  return FactorsOf(spec, output, target) * FocalOf(log_p, spec.gamma);
}

torch::Tensor GradientsOf(const MulticlassFocal& spec, const torch::Tensor& output,
                          const torch::Tensor& target) {
  const torch::Tensor all = torch::log_softmax(output, 1);
  const torch::Tensor log_p = all.gather(1, target.unsqueeze(1)).squeeze(1);
  const torch::Tensor slopes = FactorsOf(spec, output, target) * FocalSlope(log_p, spec.gamma);
  const torch::Tensor truth = torch::one_hot(target, output.size(1)).to(output.scalar_type());
  return slopes.unsqueeze(1) * (truth - all.exp());
}

}  // namespace tidemill::models
