#include "models/optimizers/own_steps.h"

#include "models/torch/torch_version.h"

namespace tidemill::models {
namespace {

namespace optim = torch::optim;

struct OwnOptions final : optim::OptimizerCloneableOptions<OwnOptions> {
  double get_lr() const override { return lr; }
  void set_lr(const double to) override { lr = to; }

  double lr = 0;  // Set before each step.
};

class OwnOptimizer final : public optim::Optimizer {
 public:
  OwnOptimizer(const std::vector<torch::Tensor>& parameters, std::shared_ptr<const OwnRule> rule)
      : optim::Optimizer({optim::OptimizerParamGroup(parameters)}, std::make_unique<OwnOptions>()),
        rule_(std::move(rule)) {}

  torch::Tensor step(LossClosure /*closure*/ = nullptr) override {
    const torch::NoGradGuard no_gradients;
    for (auto& group : param_groups_) {
      for (torch::Tensor& parameter : group.params()) {
        if (!parameter.grad().defined()) continue;
        OwnState& state = StateOf(parameter);
        ++state.step;
        rule_->Step(parameter, parameter.grad(), group.options().get_lr(), state);
      }
    }
    return {};
  }

 private:
  OwnState& StateOf(const torch::Tensor& parameter) {
    auto& kept = state_[OptimizerStateKey(parameter)];
    if (kept == nullptr) {
      auto state = std::make_unique<OwnState>();
      state->mean = torch::zeros_like(parameter, torch::MemoryFormat::Preserve);
      if (rule_->KeepsSquares()) {
        state->square = torch::zeros_like(parameter, torch::MemoryFormat::Preserve);
      }
      kept = std::move(state);
    }
    return static_cast<OwnState&>(*kept);
  }

  const std::shared_ptr<const OwnRule> rule_;
};

}  // namespace

std::unique_ptr<optim::Optimizer> OwnModule::Make(
    const std::vector<torch::Tensor>& parameters) const {
  return std::make_unique<OwnOptimizer>(parameters, rule_);
}

void OwnModule::Save(const ParameterState& any, ParameterStateWriter& writer) const {
  const auto& state = static_cast<const OwnState&>(any);
  writer.PutStep(state.step);
  writer.Put("mean", state.mean);
  if (state.square.defined()) writer.Put("square", state.square);
  if (state.product != 1) writer.PutNumber("product", state.product);
}

absl::StatusOr<std::unique_ptr<ParameterState>> OwnModule::Load(
    const ParameterStateReader& reader) const {
  if (!reader.Has("step")) return nullptr;
  auto state = std::make_unique<OwnState>();
  ASSIGN_OR_RETURN(state->step, reader.GetStep());
  ASSIGN_OR_RETURN(state->mean, reader.Get("mean"));
  if (rule_->KeepsSquares()) {
    ASSIGN_OR_RETURN(state->square, reader.Get("square"));
  }
  if (reader.Has("product")) {
    ASSIGN_OR_RETURN(state->product, reader.GetNumber("product"));
  }
  return state;
}

}  // namespace tidemill::models
