// The common code of optimisers whose steps are written here, because libtorch has none of them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/optimizer_module.h"

namespace tidemill::models {

// What is kept of one parameter. Arrays that an optimiser does not use are undefined.
struct OwnState final : torch::optim::OptimizerCloneableParamState<OwnState> {
  int64_t step = 0;
  torch::Tensor mean;    // The mean of the gradients.
  torch::Tensor square;  // The mean of their squares.
  double product = 1;    // The product of the shares of the momentum in all steps.
};

// How one parameter steps.
class OwnRule {
 public:
  virtual ~OwnRule() = default;

  virtual bool KeepsSquares() const { return true; }

  // Changes `parameter` and its state by a step; `state.step` counts it already. Gradients are not
  // recorded. Throws c10::Error.
  virtual void Step(torch::Tensor& parameter, const torch::Tensor& gradient, double lr,
                    OwnState& state) const = 0;
};

// The optimiser of a rule. Thread-safe.
class OwnModule final : public OptimizerModule {
 public:
  explicit OwnModule(std::shared_ptr<const OwnRule> rule) : rule_(std::move(rule)) {}

  std::unique_ptr<torch::optim::Optimizer> Make(
      const std::vector<torch::Tensor>& parameters) const override;
  void Save(const ParameterState& any, ParameterStateWriter& writer) const override;
  absl::StatusOr<std::unique_ptr<ParameterState>> Load(
      const ParameterStateReader& reader) const override;

 private:
  const std::shared_ptr<const OwnRule> rule_;  // Shared with its optimisers.
};

}  // namespace tidemill::models
