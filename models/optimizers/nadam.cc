#include "models/training/optimizers/nadam.h"

#include <cmath>

#include "models/optimizers/own_steps.h"

namespace tidemill::models {
namespace {

class NAdamRule final : public OwnRule {
 public:
  explicit NAdamRule(const NAdam& spec) : spec_(spec) {}

  void Step(torch::Tensor& parameter, const torch::Tensor& gradient, double lr,
            OwnState& state) const override {
    const torch::Tensor g =
        spec_.weight_decay == 0 ? gradient : gradient.add(parameter, spec_.weight_decay);
    const double share = ShareIn(state.step);
    const double next = ShareIn(state.step + 1);
    state.product *= share;
    state.mean.lerp_(g, 1 - spec_.beta1);
    state.square.mul_(spec_.beta2).addcmul_(g, g, 1 - spec_.beta2);
    const double correction = 1 - std::pow(spec_.beta2, static_cast<double>(state.step));
    const torch::Tensor divisor = state.square.div(correction).sqrt_().add_(spec_.epsilon);
    parameter.addcdiv_(g, divisor, -lr * (1 - share) / (1 - state.product));
    parameter.addcdiv_(state.mean, divisor, -lr * next / (1 - state.product * next));
  }

 private:
  double ShareIn(int64_t step) const {
    constexpr double kBase = 0.96;
    return spec_.beta1 *
           (1 - 0.5 * std::pow(kBase, static_cast<double>(step) * spec_.momentum_decay));
  }

  const NAdam spec_;
};

}  // namespace

std::unique_ptr<OptimizerModule> MakeOptimizerModule(const NAdam& spec) {
  return std::make_unique<OwnModule>(std::make_shared<NAdamRule>(spec));
}

}  // namespace tidemill::models
