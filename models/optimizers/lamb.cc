#include "models/training/optimizers/lamb.h"

#include <cmath>

#include "models/optimizers/own_steps.h"

namespace tidemill::models {
namespace {

// Algorithm 2 of the paper, with the norm itself as the scale of a layer.
class LambRule final : public OwnRule {
 public:
  explicit LambRule(const Lamb& spec) : spec_(spec) {}

  void Step(torch::Tensor& parameter, const torch::Tensor& gradient, double lr,
            OwnState& state) const override {
    state.mean.mul_(spec_.beta1).add_(gradient, 1 - spec_.beta1);
    state.square.mul_(spec_.beta2).addcmul_(gradient, gradient, 1 - spec_.beta2);
    const auto step = static_cast<double>(state.step);
    const torch::Tensor divisor =
        state.square.div(1 - std::pow(spec_.beta2, step)).sqrt_().add_(spec_.epsilon);
    torch::Tensor direction = state.mean.div(1 - std::pow(spec_.beta1, step)).div_(divisor);
    if (spec_.weight_decay != 0) direction.add_(parameter, spec_.weight_decay);
    const torch::Tensor size = parameter.norm();
    const torch::Tensor length = direction.norm();
    // Weights that are zero, such as new biases, would never move. This does not wait for the
    // device.
    const torch::Tensor has_ratio = size.gt(0).logical_and(length.gt(0));
    const torch::Tensor ratio = torch::where(has_ratio, size / length, torch::ones_like(size));
    parameter.sub_(direction.mul_(ratio), lr);
  }

 private:
  const Lamb spec_;
};

}  // namespace

std::unique_ptr<OptimizerModule> MakeOptimizerModule(const Lamb& spec) {
  return std::make_unique<OwnModule>(std::make_shared<LambRule>(spec));
}

}  // namespace tidemill::models
