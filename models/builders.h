// One builder for each kind of network; MakeNetwork() chooses. Inputs have passed
// FindInputProblem(). All throw c10::Error.
#pragma once

#include <memory>
#include <string>

#include "models/network.h"

namespace tidemill::models {

using ModulePtr = std::shared_ptr<NetworkModule>;

ModulePtr MakeLogistic(const Logistic& spec, const InputSpecs& inputs);
ModulePtr MakeMlp(const Mlp& spec, const InputSpecs& inputs);

// INVALID_ARGUMENT for images that are too small.
absl::StatusOr<ModulePtr> MakeConvnet(const Convnet& spec, const InputSpecs& inputs);
ModulePtr MakeResnet18(const Resnet18& spec, const InputSpecs& inputs);

ModulePtr MakeEmbeddingBag(const EmbeddingBag& spec, const InputSpecs& inputs);
ModulePtr MakeTextTransformer(const TextTransformer& spec, const InputSpecs& inputs);

ModulePtr MakeDlrm(const Dlrm& spec, const InputSpecs& inputs);
ModulePtr MakeFactorizationMachine(const FactorizationMachine& spec, const InputSpecs& inputs);

ModulePtr MakeGru(const Gru& spec, const InputSpecs& inputs);
ModulePtr MakeTcn(const Tcn& spec, const InputSpecs& inputs);

// `program`: the bytes of a TorchScript file. INVALID_ARGUMENT for something else.
absl::StatusOr<ModulePtr> MakeScript(std::string program);

// Layers of ReLU units with dropout between, then, where `outputs` is not 0, a linear one:
// `hidden1`, `hidden2` ... and `output`.
torch::nn::Sequential MakeLayers(int64_t width, const std::vector<int64_t>& hidden, double dropout,
                                 int64_t outputs);

// What the last of such layers is given for the rows `x`, and what it makes of it.
torch::Tensor ForwardToLast(torch::nn::Sequential& layers, torch::Tensor x);
torch::Tensor ForwardLast(torch::nn::Sequential& layers, const torch::Tensor& embedded);

}  // namespace tidemill::models
