#include "models/export/network_trace.h"

#include <utility>
#include <vector>

#include "torch/csrc/jit/frontend/tracer.h"
#include "torch/script.h"

#include "models/loaded_script.h"
#include "models/torch/guard.h"

namespace tidemill::models {
namespace {

namespace jit = torch::jit;

constexpr double kRelative = 1e-4;
constexpr double kAbsolute = 1e-5;

// An empty module of a script with the state of `from`, for a trace to refer to.
jit::Module StateModule(const torch::nn::Module& from, const std::string& name) {
  jit::Module module{c10::QualifiedName(name)};
  module.register_attribute("training", c10::BoolType::get(), false);
  for (const auto& parameter : from.named_parameters(/*recurse=*/false)) {
    module.register_parameter(parameter.key(), parameter.value(), /*is_buffer=*/false);
  }
  for (const auto& buffer : from.named_buffers(/*recurse=*/false)) {
    if (buffer.value().defined()) module.register_buffer(buffer.key(), buffer.value());
  }
  for (const auto& child : from.named_children()) {
    module.register_module(child.key(), StateModule(*child.value(), name + "_" + child.key()));
  }
  return module;
}

// Rows that the network takes: small numbers, and ids within their limits.
Inputs SampleInputs(const Network& network, int64_t num_rows) {
  Inputs inputs;
  for (const auto& [name, input] : network.inputs) {
    std::vector<int64_t> shape = input.shape;
    shape.insert(shape.begin(), num_rows);
    if (!input.is_integer) {
      inputs[name] = torch::randn(shape);
      continue;
    }
    const auto limits = network.id_limits.find(name);
    const bool has_limits = limits != network.id_limits.end() && !limits->second.empty();
    const torch::Tensor bounds =
        torch::tensor(has_limits ? limits->second : std::vector<int64_t>{2}, torch::kInt64);
    inputs[name] = (torch::rand(shape) * bounds).floor().to(torch::kInt64).remainder(bounds);
  }
  return inputs;
}

std::vector<std::string> NamesOf(const Network& network) {
  std::vector<std::string> names;
  for (const auto& [name, input] : network.inputs) names.push_back(name);
  return names;
}

jit::Stack StackOf(const Inputs& inputs) {
  jit::Stack stack;
  for (const auto& [name, column] : inputs) stack.emplace_back(column);
  return stack;
}

jit::Module Trace(const Network& network) {
  jit::Module module = StateModule(*network.module, "Network");
  const std::vector<std::string> names = NamesOf(network);
  const auto forward = [&](const jit::Stack& arguments) -> jit::Stack {
    Inputs inputs;
    for (size_t i = 0; i < names.size(); ++i) inputs[names[i]] = arguments[i].toTensor();
    return {network.Forward(inputs)};
  };
  const auto nameless = [](const torch::Tensor&) { return std::string(); };
  const auto traced = jit::tracer::trace(StackOf(SampleInputs(network, 2)), forward, nameless,
                                         /*strict=*/true, /*force_outplace=*/false, &module, names);
  const c10::QualifiedName name(*module.type()->name(), "forward");
  module.type()->addMethod(
      module._ivalue()->compilation_unit()->create_function(name, traced.first->graph));
  return module;
}

// The program that the network is, with the network's weights. Nothing of it runs.
absl::StatusOr<jit::Module> ScriptOf(const Network& network) {
  ASSIGN_OR_RETURN(jit::Module module, LoadScriptToExport(std::string(network.module->program())));
  std::map<std::string, torch::Tensor> state;
  for (const auto& item : module.named_parameters()) state[item.name] = item.value;
  for (const auto& item : module.named_buffers()) state[item.name] = item.value;
  for (const auto& [name, tensor] : StateOf(network)) state.at(name).copy_(tensor);
  module.eval();
  return module;
}

}  // namespace

absl::StatusOr<jit::Module> NetworkScript(const Network& network) {
  const torch::NoGradGuard no_gradients;
  network.module->eval();
  if (network.module->program().empty()) return Trace(network);
  return ScriptOf(network);
}

absl::Status CompareScript(const Network& network, jit::Module& module) {
  return Guard("running the TorchScript file", [&]() -> absl::Status {
    const torch::NoGradGuard no_gradients;
    network.module->eval();
    torch::manual_seed(0);
    for (const int64_t num_rows : {3, 5}) {
      const Inputs inputs = SampleInputs(network, num_rows);
      const torch::Tensor expected = network.Forward(inputs);
      const torch::Tensor found = module.forward(StackOf(inputs)).toTensor().to(torch::kFloat32);
      if (!torch::allclose(found, expected, kRelative, kAbsolute)) {
        return Internal("the exported file gives other numbers than the network for {} rows",
                        num_rows);
      }
    }
    return absl::OkStatus();
  });
}

}  // namespace tidemill::models
