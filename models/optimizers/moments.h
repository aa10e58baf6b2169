// The common code of optimisers that keep means of gradients and of their squares.
#pragma once

#include <memory>
#include <tuple>
#include <vector>

#include "models/optimizer_module.h"

namespace tidemill::models {

// `Optimizer`, `Options` and `State` are libtorch's. Thread-safe.
template <typename Spec, typename Optimizer, typename Options, typename State>
class MomentsModule final : public OptimizerModule {
 public:
  explicit MomentsModule(const Spec& spec) : spec_(spec) {}

  std::unique_ptr<torch::optim::Optimizer> Make(
      const std::vector<torch::Tensor>& parameters) const override {
    Options options(spec_.lr);
    options.betas(std::make_tuple(spec_.beta1, spec_.beta2));
    options.eps(spec_.epsilon);
    options.weight_decay(spec_.weight_decay);
    return std::make_unique<Optimizer>(parameters, options);
  }

  void Save(const ParameterState& any, ParameterStateWriter& writer) const override {
    const auto& state = static_cast<const State&>(any);
    writer.PutStep(state.step());
    writer.Put("mean", state.exp_avg());
    writer.Put("square", state.exp_avg_sq());
  }

  absl::StatusOr<std::unique_ptr<ParameterState>> Load(
      const ParameterStateReader& reader) const override {
    if (!reader.Has("step")) return nullptr;
    auto state = std::make_unique<State>();
    ASSIGN_OR_RETURN(const int64_t step, reader.GetStep());
    ASSIGN_OR_RETURN(const torch::Tensor mean, reader.Get("mean"));
    ASSIGN_OR_RETURN(const torch::Tensor square, reader.Get("square"));
    state->step(step);
    state->exp_avg(mean);
    state->exp_avg_sq(square);
    return state;
  }

 private:
  const Spec spec_;
};

}  // namespace tidemill::models
