#include "models/optimizer.h"

#include <utility>

#include "base/overloaded.h"
#include "models/torch_version.h"

namespace tidemill::models {
namespace {

namespace optim = torch::optim;

std::unique_ptr<optim::Optimizer> Make(const OptimizerSpec& spec,
                                       const std::vector<torch::Tensor>& parameters) {
  return std::visit(
      Overloaded{
          [&](const Sgd& sgd) -> std::unique_ptr<optim::Optimizer> {
            return std::make_unique<optim::SGD>(
                parameters,
                optim::SGDOptions(sgd.lr).momentum(sgd.momentum).weight_decay(sgd.weight_decay));
          },
          [&](const Adam& adam) -> std::unique_ptr<optim::Optimizer> {
            return std::make_unique<optim::Adam>(parameters,
                                                 optim::AdamOptions(adam.lr)
                                                     .betas(std::make_tuple(adam.beta1, adam.beta2))
                                                     .eps(adam.epsilon)
                                                     .weight_decay(adam.weight_decay));
          }},
      spec);
}

// One array of a file on the device of `like`.
absl::StatusOr<torch::Tensor> Find(const TensorFile& file, const std::string& name,
                                   const torch::Tensor& like) {
  const auto it = file.tensors.find(name);
  if (it == file.tensors.end()) return DataLoss("there is no {}", name);
  ASSIGN_OR_RETURN(const torch::Tensor tensor, TensorOf(it->second));
  if (tensor.sizes() != like.sizes()) return DataLoss("{} has another shape", name);
  return tensor.to(like.device());
}

}  // namespace

Optimizer::Optimizer(const OptimizerSpec& spec, const Network& network)
    : is_adam_(std::holds_alternative<Adam>(spec)) {
  std::vector<torch::Tensor> tensors;
  for (const auto& parameter : network.layers->named_parameters()) {
    parameters_.emplace_back(parameter.key(), parameter.value());
    tensors.push_back(parameter.value());
  }
  optimizer_ = Make(spec, tensors);
}

void Optimizer::Save(const std::string& prefix, TensorFile& file,
                     std::vector<torch::Tensor>& kept) {
  for (const auto& [name, parameter] : parameters_) {
    const auto it = optimizer_->state().find(OptimizerStateKey(parameter));
    if (it == optimizer_->state().end()) continue;  // No step has touched it yet.
    const std::string stem = prefix + name;
    if (!is_adam_) {
      const auto& state = static_cast<const optim::SGDParamState&>(*it->second);
      if (!state.momentum_buffer().defined()) continue;
      file.tensors[stem + ".momentum"] = BytesOf(state.momentum_buffer(), kept);
      continue;
    }
    const auto& state = static_cast<const optim::AdamParamState&>(*it->second);
    file.tensors[stem + ".step"] = BytesOf(torch::tensor({state.step()}, torch::kInt64), kept);
    file.tensors[stem + ".mean"] = BytesOf(state.exp_avg(), kept);
    file.tensors[stem + ".square"] = BytesOf(state.exp_avg_sq(), kept);
  }
}

absl::Status Optimizer::Load(const std::string& prefix, const TensorFile& file) {
  optimizer_->state().clear();
  for (const auto& [name, parameter] : parameters_) {
    const std::string stem = prefix + name;
    if (!is_adam_) {
      if (!file.tensors.contains(stem + ".momentum")) continue;
      auto state = std::make_unique<optim::SGDParamState>();
      ASSIGN_OR_RETURN(torch::Tensor momentum, Find(file, stem + ".momentum", parameter));
      state->momentum_buffer(momentum);
      optimizer_->state()[OptimizerStateKey(parameter)] = std::move(state);
      continue;
    }
    if (!file.tensors.contains(stem + ".step")) continue;
    auto state = std::make_unique<optim::AdamParamState>();
    ASSIGN_OR_RETURN(const torch::Tensor step,
                     Find(file, stem + ".step", torch::zeros({1}, torch::kInt64)));
    ASSIGN_OR_RETURN(torch::Tensor mean, Find(file, stem + ".mean", parameter));
    ASSIGN_OR_RETURN(torch::Tensor square, Find(file, stem + ".square", parameter));
    state->step(step.item<int64_t>());
    state->exp_avg(mean);
    state->exp_avg_sq(square);
    optimizer_->state()[OptimizerStateKey(parameter)] = std::move(state);
  }
  return absl::OkStatus();
}

}  // namespace tidemill::models
