#include "models/training/optimizers/rmsprop.h"

#include "models/optimizer_module.h"

namespace tidemill::models {
namespace {

namespace optim = torch::optim;

class RmsPropModule final : public OptimizerModule {
 public:
  explicit RmsPropModule(const RmsProp& spec) : spec_(spec) {}

  std::unique_ptr<optim::Optimizer> Make(
      const std::vector<torch::Tensor>& parameters) const override {
    return std::make_unique<optim::RMSprop>(parameters, optim::RMSpropOptions(spec_.lr)
                                                            .alpha(spec_.alpha)
                                                            .momentum(spec_.momentum)
                                                            .centered(spec_.centered)
                                                            .eps(spec_.epsilon)
                                                            .weight_decay(spec_.weight_decay));
  }

  void Save(const ParameterState& any, ParameterStateWriter& writer) const override {
    const auto& state = static_cast<const optim::RMSpropParamState&>(any);
    writer.PutStep(state.step());
    writer.Put("square", state.square_avg());
    if (state.momentum_buffer().defined()) writer.Put("momentum", state.momentum_buffer());
    if (state.grad_avg().defined()) writer.Put("mean", state.grad_avg());
  }

  absl::StatusOr<std::unique_ptr<ParameterState>> Load(
      const ParameterStateReader& reader) const override {
    if (!reader.Has("step")) return nullptr;
    auto state = std::make_unique<optim::RMSpropParamState>();
    ASSIGN_OR_RETURN(const int64_t step, reader.GetStep());
    ASSIGN_OR_RETURN(const torch::Tensor square, reader.Get("square"));
    state->step(step);
    state->square_avg(square);
    if (reader.Has("momentum")) {
      ASSIGN_OR_RETURN(const torch::Tensor momentum, reader.Get("momentum"));
      state->momentum_buffer(momentum);
    }
    if (reader.Has("mean")) {
      ASSIGN_OR_RETURN(const torch::Tensor mean, reader.Get("mean"));
      state->grad_avg(mean);
    }
    return state;
  }

 private:
  const RmsProp spec_;
};

}  // namespace

std::unique_ptr<OptimizerModule> MakeOptimizerModule(const RmsProp& spec) {
  return std::make_unique<RmsPropModule>(spec);
}

}  // namespace tidemill::models
