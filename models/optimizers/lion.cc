#include "models/training/optimizers/lion.h"

#include "models/optimizers/own_steps.h"

namespace tidemill::models {
namespace {

// Algorithm 2 of the paper.
class LionRule final : public OwnRule {
 public:
  explicit LionRule(const Lion& spec) : spec_(spec) {}

  bool KeepsSquares() const override { return false; }

  void Step(torch::Tensor& parameter, const torch::Tensor& gradient, double lr,
            OwnState& state) const override {
    torch::Tensor direction = state.mean.mul(spec_.beta1).add_(gradient, 1 - spec_.beta1).sign_();
    if (spec_.weight_decay != 0) direction.add_(parameter, spec_.weight_decay);
    parameter.sub_(direction, lr);
    state.mean.mul_(spec_.beta2).add_(gradient, 1 - spec_.beta2);
  }

 private:
  const Lion spec_;
};

}  // namespace

std::unique_ptr<OptimizerModule> MakeOptimizerModule(const Lion& spec) {
  return std::make_unique<OwnModule>(std::make_shared<LionRule>(spec));
}

}  // namespace tidemill::models
