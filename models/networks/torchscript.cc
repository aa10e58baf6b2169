#include "models/spec/torchscript.h"

#include "torch/script.h"

#include "models/loaded_script.h"
#include "models/network.h"

namespace tidemill::models {
namespace {

// A TorchScript module behind the interface of the others: its parameters and buffers stand in a
// tree of modules of the same names, so that optimisers, checkpoints and weights know nothing of
// scripts. Both trees hold the same tensors.
class ScriptNetwork final : public NetworkModule {
 public:
  ScriptNetwork(torch::jit::Module script, std::string program)
      : script_(std::move(script)), program_(std::move(program)) {
    Mirror(script_, *this);
  }

  torch::Tensor Forward(const Inputs& inputs) override {
    const QuietScript quiet;
    std::vector<torch::jit::IValue> arguments;
    for (const auto& [name, column] : inputs) arguments.emplace_back(column);
    return script_.forward(std::move(arguments)).toTensor();
  }

  torch::Tensor Embed(const Inputs& inputs) override {
    const QuietScript quiet;
    std::vector<torch::jit::IValue> arguments;
    for (const auto& [name, column] : inputs) arguments.emplace_back(column);
    return script_.get_method("embed")(std::move(arguments)).toTensor();
  }

  bool has_embedding() const override { return script_.find_method("embed").has_value(); }

  std::string_view program() const override { return program_; }

  void train(bool on) override {
    script_.train(on);
    torch::nn::Module::train(on);
  }

 private:
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
  return std::make_shared<ScriptNetwork>(*loaded, parts.file);
}

}  // namespace tidemill::models
