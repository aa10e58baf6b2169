#include "models/optimizer.h"

#include <fnmatch.h>

#include <cmath>
#include <optional>
#include <utility>

#include "base/overloaded.h"
#include "models/torch_version.h"

namespace tidemill::models {
namespace {

namespace optim = torch::optim;

template <typename Options>
Options AdamOptionsOf(const auto& spec) {
  Options options(spec.lr);
  options.betas(std::make_tuple(spec.beta1, spec.beta2));
  options.eps(spec.epsilon);
  options.weight_decay(spec.weight_decay);
  return options;
}

std::unique_ptr<optim::Optimizer> MakeOptimizer(const OptimizerSpec& spec,
                                                const std::vector<torch::Tensor>& parameters) {
  using Made = std::unique_ptr<optim::Optimizer>;
  return std::visit(Overloaded{[&](const Sgd& sgd) -> Made {
                                 return std::make_unique<optim::SGD>(
                                     parameters, optim::SGDOptions(sgd.lr)
                                                     .momentum(sgd.momentum)
                                                     .nesterov(sgd.nesterov)
                                                     .weight_decay(sgd.weight_decay));
                               },
                               [&](const Adam& adam) -> Made {
                                 return std::make_unique<optim::Adam>(
                                     parameters, AdamOptionsOf<optim::AdamOptions>(adam));
                               },
                               [&](const AdamW& adam) -> Made {
                                 return std::make_unique<optim::AdamW>(
                                     parameters, AdamOptionsOf<optim::AdamWOptions>(adam));
                               },
                               [&](const Adagrad& adagrad) -> Made {
                                 return std::make_unique<optim::Adagrad>(
                                     parameters, optim::AdagradOptions(adagrad.lr)
                                                     .lr_decay(adagrad.lr_decay)
                                                     .initial_accumulator_value(adagrad.initial)
                                                     .eps(adagrad.epsilon)
                                                     .weight_decay(adagrad.weight_decay));
                               }},
                    spec);
}

std::optional<size_t> FirstMatch(const std::vector<ModuleOptimizer>& specs,
                                 const std::string& name) {
  for (size_t i = 0; i < specs.size(); ++i) {
    if (fnmatch(specs[i].modules.c_str(), name.c_str(), 0) == 0) return i;
  }
  return std::nullopt;
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

// Writes the state of one parameter.
class StateWriter {
 public:
  StateWriter(std::string stem, TensorFile& file, std::vector<torch::Tensor>& kept)
      : stem_(std::move(stem)), file_(file), kept_(kept) {}

  void operator()(const Sgd&, const optim::OptimizerParamState& any) {
    const auto& state = static_cast<const optim::SGDParamState&>(any);
    if (state.momentum_buffer().defined()) Put("momentum", state.momentum_buffer());
  }
  void operator()(const Adam&, const optim::OptimizerParamState& any) {
    PutMoments(static_cast<const optim::AdamParamState&>(any));
  }
  void operator()(const AdamW&, const optim::OptimizerParamState& any) {
    PutMoments(static_cast<const optim::AdamWParamState&>(any));
  }
  void operator()(const Adagrad&, const optim::OptimizerParamState& any) {
    const auto& state = static_cast<const optim::AdagradParamState&>(any);
    PutStep(state.step());
    Put("sum", state.sum());
  }

 private:
  void PutMoments(const auto& state) {
    PutStep(state.step());
    Put("mean", state.exp_avg());
    Put("square", state.exp_avg_sq());
  }
  void PutStep(int64_t step) { Put("step", torch::tensor({step}, torch::kInt64)); }
  void Put(const char* name, const torch::Tensor& tensor) {
    file_.tensors[stem_ + name] = BytesOf(tensor, kept_);
  }

  const std::string stem_;
  TensorFile& file_;
  std::vector<torch::Tensor>& kept_;
};

using ParamState = std::unique_ptr<optim::OptimizerParamState>;

// Reads the state of one parameter; nullptr when there is none.
class StateReader {
 public:
  StateReader(std::string stem, const TensorFile& file, const torch::Tensor& parameter)
      : stem_(std::move(stem)), file_(file), parameter_(parameter) {}

  absl::StatusOr<ParamState> operator()(const Sgd&) {
    if (!file_.tensors.contains(stem_ + "momentum")) return ParamState();
    auto state = std::make_unique<optim::SGDParamState>();
    ASSIGN_OR_RETURN(const torch::Tensor momentum, Find(file_, stem_ + "momentum", parameter_));
    state->momentum_buffer(momentum);
    return ParamState(std::move(state));
  }
  absl::StatusOr<ParamState> operator()(const Adam&) { return Moments<optim::AdamParamState>(); }
  absl::StatusOr<ParamState> operator()(const AdamW&) { return Moments<optim::AdamWParamState>(); }
  absl::StatusOr<ParamState> operator()(const Adagrad&) {
    auto state = std::make_unique<optim::AdagradParamState>();
    ASSIGN_OR_RETURN(const int64_t step, Step());
    ASSIGN_OR_RETURN(const torch::Tensor sum, Find(file_, stem_ + "sum", parameter_));
    state->step(step);
    state->sum(sum);
    return ParamState(std::move(state));
  }

 private:
  template <typename State>
  absl::StatusOr<ParamState> Moments() {
    if (!file_.tensors.contains(stem_ + "step")) return ParamState();
    auto state = std::make_unique<State>();
    ASSIGN_OR_RETURN(const int64_t step, Step());
    ASSIGN_OR_RETURN(const torch::Tensor mean, Find(file_, stem_ + "mean", parameter_));
    ASSIGN_OR_RETURN(const torch::Tensor square, Find(file_, stem_ + "square", parameter_));
    state->step(step);
    state->exp_avg(mean);
    state->exp_avg_sq(square);
    return ParamState(std::move(state));
  }
  absl::StatusOr<int64_t> Step() {
    ASSIGN_OR_RETURN(const torch::Tensor step,
                     Find(file_, stem_ + "step", torch::zeros({1}, torch::kInt64)));
    return step.item<int64_t>();
  }

  const std::string stem_;
  const TensorFile& file_;
  const torch::Tensor& parameter_;
};

}  // namespace

absl::StatusOr<Optimizer> Optimizer::Make(const std::vector<ModuleOptimizer>& specs,
                                          const Network& network) {
  std::vector<Parameters> parts(specs.size());
  for (const auto& item : network.module->named_parameters()) {
    const std::optional<size_t> match = FirstMatch(specs, item.key());
    if (!match) return InvalidArgument("no pattern of training.optimizers has {}", item.key());
    parts[*match].emplace_back(item.key(), item.value());
  }
  Optimizer made;
  for (size_t i = 0; i < specs.size(); ++i) {
    if (parts[i].empty()) {
      if (specs[i].modules == "*") continue;
      return InvalidArgument("training.optimizers: no parameter is named like '{}'",
                             specs[i].modules);
    }
    std::vector<torch::Tensor> tensors;
    for (const auto& [name, tensor] : parts[i]) tensors.push_back(tensor);
    const double lr = std::visit([](const auto& spec) { return spec.lr; }, specs[i].optimizer);
    made.groups_.push_back(
        {specs[i].optimizer, lr, std::move(parts[i]), MakeOptimizer(specs[i].optimizer, tensors)});
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

bool Optimizer::ClipGradients(const GradientClipping& clipping) {
  const torch::NoGradGuard no_gradients;
  torch::Tensor squares;  // Stays on the device until all are added: that costs one wait.
  for (const Group& group : groups_) {
    for (const auto& [name, parameter] : group.parameters) {
      torch::Tensor& gradient = parameter.mutable_grad();
      if (!gradient.defined()) continue;
      // Only then does each number of a sparse gradient stand there once.
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
  for (Group& group : groups_) {
    for (auto& options : group.optimizer->param_groups()) {
      options.options().set_lr(group.lr * factor);
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
      StateWriter writer(prefix + name + ".", file, kept);
      std::visit([&](const auto& spec) { writer(spec, *it->second); }, group.spec);
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
    StateReader reader(prefix + name + ".", file, parameter);
    ASSIGN_OR_RETURN(ParamState state, std::visit(reader, group.spec));
    if (state == nullptr) continue;
    group.optimizer->state()[OptimizerStateKey(parameter)] = std::move(state);
  }
  return absl::OkStatus();
}

}  // namespace tidemill::models
