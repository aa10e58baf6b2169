#include "models/training/optimizers/adagrad.h"

#include "models/optimizer_module.h"

namespace tidemill::models {
namespace {

namespace optim = torch::optim;

class AdagradModule final : public OptimizerModule {
 public:
  explicit AdagradModule(const Adagrad& spec) : spec_(spec) {}

  std::unique_ptr<optim::Optimizer> Make(
      const std::vector<torch::Tensor>& parameters) const override {
    return std::make_unique<optim::Adagrad>(parameters,
                                            optim::AdagradOptions(spec_.lr)
                                                .lr_decay(spec_.lr_decay)
                                                .initial_accumulator_value(spec_.initial)
                                                .eps(spec_.epsilon)
                                                .weight_decay(spec_.weight_decay));
  }

  void Save(const ParameterState& any, ParameterStateWriter& writer) const override {
    const auto& state = static_cast<const optim::AdagradParamState&>(any);
    writer.PutStep(state.step());
    writer.Put("sum", state.sum());
  }

  absl::StatusOr<std::unique_ptr<ParameterState>> Load(
      const ParameterStateReader& reader) const override {
    auto state = std::make_unique<optim::AdagradParamState>();
    ASSIGN_OR_RETURN(const int64_t step, reader.GetStep());
    ASSIGN_OR_RETURN(const torch::Tensor sum, reader.Get("sum"));
    state->step(step);
    state->sum(sum);
    return state;
  }

 private:
  const Adagrad spec_;
};

}  // namespace

std::unique_ptr<OptimizerModule> MakeOptimizerModule(const Adagrad& spec) {
  return std::make_unique<AdagradModule>(spec);
}

}  // namespace tidemill::models
