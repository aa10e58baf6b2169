#include "models/training/optimizers/sgd.h"

#include "models/optimizer_module.h"

namespace tidemill::models {
namespace {

namespace optim = torch::optim;

class SgdModule final : public OptimizerModule {
 public:
  explicit SgdModule(const Sgd& spec) : spec_(spec) {}

  std::unique_ptr<optim::Optimizer> Make(
      const std::vector<torch::Tensor>& parameters) const override {
    return std::make_unique<optim::SGD>(parameters, optim::SGDOptions(spec_.lr)
                                                        .momentum(spec_.momentum)
                                                        .nesterov(spec_.nesterov)
                                                        .weight_decay(spec_.weight_decay));
  }

  void Save(const ParameterState& any, ParameterStateWriter& writer) const override {
    const auto& state = static_cast<const optim::SGDParamState&>(any);
    if (state.momentum_buffer().defined()) writer.Put("momentum", state.momentum_buffer());
  }

  absl::StatusOr<std::unique_ptr<ParameterState>> Load(
      const ParameterStateReader& reader) const override {
    if (!reader.Has("momentum")) return nullptr;
    auto state = std::make_unique<optim::SGDParamState>();
    ASSIGN_OR_RETURN(const torch::Tensor momentum, reader.Get("momentum"));
    state->momentum_buffer(momentum);
    return state;
  }

 private:
  const Sgd spec_;
};

}  // namespace

std::unique_ptr<OptimizerModule> MakeOptimizerModule(const Sgd& spec) {
  return std::make_unique<SgdModule>(spec);
}

}  // namespace tidemill::models
