#include "models/spec/torchscript.h"

#include "torch/script.h"

#include "models/loaded_script.h"
#include "models/network.h"

namespace tidemill::models {
namespace {

// How a method takes the columns.
enum class Passing { kByName, kInOrder };

// By name, if each column is an argument of that name and no other argument is needed; else in the
// order of the names. INVALID_ARGUMENT when that order gives an argument another column than its
// own.
absl::StatusOr<Passing> PassingOf(const torch::jit::Method& method, const InputSpecs& columns) {
  std::vector<std::string> arguments;
  size_t num_named = 0;
  bool needs_others = false;
  const auto& schema = method.function().getSchema().arguments();
  for (size_t i = 1; i < schema.size(); ++i) {  // Behind `self`.
    const bool is_column = columns.contains(schema[i].name());
    arguments.push_back(schema[i].name());
    num_named += is_column ? 1 : 0;
    needs_others |= !is_column && !schema[i].default_value().has_value();
  }
  if (num_named == columns.size() && !needs_others) return Passing::kByName;
  size_t place = 0;
  for (const auto& [name, spec] : columns) {
    const std::string argument = place < arguments.size() ? arguments[place++] : name;
    if (argument == name || !columns.contains(argument)) continue;
    return InvalidArgument(
        "the argument {} of {} would be given the column {}: name each argument after its column, "
        "or none",
        argument, method.name(), name);
  }
  return Passing::kInOrder;
}

// A TorchScript module with the interface of the others: its parameters and buffers are in a tree
// of modules of the same names, so that optimisers, checkpoints and weights know nothing of
// scripts. Both trees hold the same tensors.
class ScriptNetwork final : public NetworkModule {
 public:
  ScriptNetwork(torch::jit::Module script, std::string program, Passing forward, Passing embed)
      : script_(std::move(script)), program_(std::move(program)), forward_(forward), embed_(embed) {
    Mirror(script_, *this);
  }

  torch::Tensor Forward(const Inputs& inputs) override { return Call("forward", forward_, inputs); }

  torch::Tensor Embed(const Inputs& inputs) override { return Call("embed", embed_, inputs); }

  bool has_embedding() const override { return script_.find_method("embed").has_value(); }

  std::string_view program() const override { return program_; }

  void train(bool on) override {
    script_.train(on);
    torch::nn::Module::train(on);
  }

  std::function<void(const torch::Tensor&)> WeightSetter(const std::string& layer) override {
    for (const auto& part : script_.named_modules()) {
      if (part.name != layer) continue;
      const auto& type = part.value.type()->name();
      if (!type || type->name() != "Linear") return nullptr;
      return [module = part.value](const torch::Tensor& weight) mutable {
        module.setattr("weight", weight);
      };
    }
    return nullptr;
  }

  void EvaluateLayer(const std::string& name) override {
    for (auto part : script_.named_modules()) {
      if (part.name == name) part.value.eval();
    }
    NetworkModule::EvaluateLayer(name);
  }

 private:
  torch::Tensor Call(const char* method, Passing passing, const Inputs& inputs) {
    const QuietScript quiet;
    std::vector<torch::jit::IValue> in_order;
    torch::jit::Kwargs by_name;
    for (const auto& [name, column] : inputs) {
      if (passing == Passing::kByName) {
        by_name.emplace(name, column);
      } else {
        in_order.emplace_back(column);
      }
    }
    return script_.get_method(method)(std::move(in_order), by_name).toTensor();
  }

  static void Mirror(const torch::jit::Module& from, torch::nn::Module& to) {
    for (const auto& parameter : from.named_parameters(/*recurse=*/false)) {
      to.register_parameter(parameter.name, parameter.value, parameter.value.requires_grad());
    }
    for (const auto& buffer : from.named_buffers(/*recurse=*/false)) {
      to.register_buffer(buffer.name, buffer.value);
    }
    for (const auto& child : from.named_children()) {
      auto mirror = std::make_shared<torch::nn::Module>(child.name);
      Mirror(child.value, *mirror);
      to.register_module(child.name, std::move(mirror));
    }
  }

  torch::jit::Module script_;
  const std::string program_;
  const Passing forward_;
  const Passing embed_;
};

}  // namespace

absl::StatusOr<ModulePtr> MakeModule(const TorchScript& /*spec*/, const NetworkParts& parts) {
  const auto loaded = LoadScript(parts.file);
  if (!loaded.ok()) {
    return InvalidArgument("model.file does not hold a TorchScript module that may run here: {}",
                           std::string(loaded.status().message()));
  }
  if (!loaded->find_method("forward")) {
    return InvalidArgument("the TorchScript module has no method forward");
  }
  ASSIGN_OR_RETURN(const Passing forward, PassingOf(loaded->get_method("forward"), parts.inputs));
  Passing embed = Passing::kInOrder;
  if (const auto method = loaded->find_method("embed")) {
    ASSIGN_OR_RETURN(embed, PassingOf(*method, parts.inputs));
  }
  return std::make_shared<ScriptNetwork>(*loaded, parts.file, forward, embed);
}

}  // namespace tidemill::models
