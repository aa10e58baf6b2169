#include "models/optimizer.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/check.h"
#include "models/torch/torch_version.h"
#include "models/training/optimizers/optimizers.h"

namespace tidemill::models {
namespace {

std::optional<size_t> FirstMatch(const std::vector<ModuleOptimizer>& specs,
                                 const std::string& name) {
  for (size_t i = 0; i < specs.size(); ++i) {
    if (fnmatch(specs[i].modules.c_str(), name.c_str(), 0) == 0) return i;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<Optimizer> Optimizer::Make(const std::vector<ModuleOptimizer>& specs,
                                          const Network& network) {
  std::vector<Parameters> parts(specs.size());
  for (const auto& [name, tensor] : TrainedOf(network)) {
    const std::optional<size_t> match = FirstMatch(specs, name);
    if (!match) return InvalidArgument("no pattern of training.optimizers matches {}", name);
    parts[*match].emplace_back(name, tensor);
  }
  Optimizer made;
  for (size_t i = 0; i < specs.size(); ++i) {
    if (parts[i].empty()) {
      if (specs[i].modules == "*") continue;
      return InvalidArgument(
          "training.optimizers: no name of a parameter that is trained matches '{}'",
          specs[i].modules);
    }
    std::vector<torch::Tensor> tensors;
    for (const auto& [name, tensor] : parts[i]) tensors.push_back(tensor);
    auto module = config::Dispatch(Optimizers(), specs[i].optimizer,
                                   [](const auto& spec) { return MakeOptimizerModule(spec); });
    auto optimizer = module->Make(tensors);
    made.groups_.push_back({.module = std::move(module),
                            .lr = specs[i].optimizer->LearningRate(),
                            .spec = i,
                            .parameters = std::move(parts[i]),
                            .optimizer = std::move(optimizer)});
  }
  return made;
}

void Optimizer::ZeroGradients() {
  for (const Group& group : groups_) {
    for (const auto& [name, parameter] : group.parameters) parameter.mutable_grad().reset();
  }
}

void Optimizer::ScaleGradients(double factor) {
  for (const Group& group : groups_) {
    for (const auto& [name, parameter] : group.parameters) {
      if (parameter.grad().defined()) parameter.mutable_grad().mul_(factor);
    }
  }
}

bool Optimizer::HasFiniteGradients() const {
  const torch::NoGradGuard no_gradients;
  torch::Tensor sum;  // Not finite when a part of it is not.
  for (const Group& group : groups_) {
    for (const auto& [name, parameter] : group.parameters) {
      const torch::Tensor& gradient = parameter.grad();
      if (!gradient.defined()) continue;
      const torch::Tensor numbers = gradient.is_sparse() ? gradient._values() : gradient;
      const torch::Tensor added = numbers.to(torch::kFloat64).sum();
      sum = sum.defined() ? sum + added : added;
    }
  }
  return !sum.defined() || std::isfinite(sum.item<double>());
}

bool Optimizer::ClipGradients(const GradientClipping& clipping) {
  const torch::NoGradGuard no_gradients;
  torch::Tensor squares;  // Stays on the device until all are added: that costs one wait.
  for (const Group& group : groups_) {
    for (const auto& [name, parameter] : group.parameters) {
      torch::Tensor& gradient = parameter.mutable_grad();
      if (!gradient.defined()) continue;
      // Only then does a sparse gradient hold each number once.
      if (gradient.is_sparse()) gradient = gradient.coalesce();
      const torch::Tensor numbers = gradient.is_sparse() ? gradient.values() : gradient;
      const torch::Tensor added = numbers.to(torch::kFloat64).square().sum();
      squares = squares.defined() ? squares + added : added;
      if (clipping.value && !gradient.is_sparse()) {
        gradient.clamp_(-*clipping.value, *clipping.value);
      }
    }
  }
  const double norm = squares.defined() ? std::sqrt(squares.item<double>()) : 0;
  if (!std::isfinite(norm)) return false;
  if (clipping.norm && norm > *clipping.norm) ScaleGradients(*clipping.norm / norm);
  return true;
}

void Optimizer::Step(double factor) {
  size_t num_specs = 0;
  for (const Group& group : groups_) num_specs = std::max(num_specs, group.spec + 1);
  Step(std::vector<double>(num_specs, factor));
}

void Optimizer::Step(std::span<const double> factors) {
  for (Group& group : groups_) {
    TIDEMILL_CHECK(group.spec < factors.size());
    for (auto& options : group.optimizer->param_groups()) {
      options.options().set_lr(group.lr * factors[group.spec]);
    }
    group.optimizer->step();
  }
}

void Optimizer::Save(const std::string& prefix, TensorFile& file,
                     std::vector<torch::Tensor>& kept) {
  for (const Group& group : groups_) {
    for (const auto& [name, parameter] : group.parameters) {
      const auto it = group.optimizer->state().find(OptimizerStateKey(parameter));
      if (it == group.optimizer->state().end()) continue;  // No step has touched it yet.
      ParameterStateWriter writer(prefix + name + ".", file, kept);
      group.module->Save(*it->second, writer);
    }
  }
}

absl::Status Optimizer::Load(const std::string& prefix, const TensorFile& file) {
  for (Group& group : groups_) RETURN_IF_ERROR(LoadGroup(prefix, file, group));
  return absl::OkStatus();
}

absl::Status Optimizer::LoadGroup(const std::string& prefix, const TensorFile& file, Group& group) {
  group.optimizer->state().clear();
  for (const auto& [name, parameter] : group.parameters) {
    const ParameterStateReader reader(prefix + name + ".", file, parameter);
    ASSIGN_OR_RETURN(std::unique_ptr<ParameterState> state, group.module->Load(reader));
    if (state == nullptr) continue;
    group.optimizer->state()[OptimizerStateKey(parameter)] = std::move(state);
  }
  return absl::OkStatus();
}

}  // namespace tidemill::models
