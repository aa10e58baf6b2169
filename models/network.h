// Makes networks from specs, and converts their weights to bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "torch/torch.h"

#include "base/numbers/random.h"
#include "base/status.h"
#include "models/low_rank.h"
#include "models/spec/model_inputs.h"
#include "models/spec/model_spec.h"
#include "models/torch/safetensors.h"

namespace tidemill::models {

// A block of samples by column name. Each column is [n, ...]. Row r of all columns belongs to the
// same sample.
using Inputs = std::map<std::string, torch::Tensor>;

// The layers of a network. Its parameters and buffers are its state. Training changes buffers
// without gradients; the averages of batch normalisation are an example. Thread-compatible.
class NetworkModule : public torch::nn::Module {
 public:
  // Returns the outputs [n, outputs]. Throws c10::Error. The size of the batch must not enter the
  // computation, so that a trace of it holds for batches of any size.
  virtual torch::Tensor Forward(const Inputs& inputs) = 0;

  // Returns [n, d]: the input of the last layer. When the network does not end with a layer, it
  // returns the terms whose sum is the output. Forward() is computed from it. Call it only when
  // has_embedding(). Throws c10::Error.
  virtual torch::Tensor Embed(const Inputs& inputs) = 0;

  // Returns false for a program that does not provide the input of its last layer.
  virtual bool has_embedding() const { return true; }

  // Returns the program when the network is a file; otherwise empty.
  virtual std::string_view program() const { return {}; }

  // Returns the name that files of other programs give to an array of this network; the same name
  // when they have no other.
  virtual std::string NameElsewhere(const std::string& name) const { return name; }

  // Returns a function that gives a linear layer other weights for the next passes; nullptr when no
  // linear layer has that name.
  virtual std::function<void(const torch::Tensor&)> WeightSetter(const std::string& layer);

  // Puts the module of that name, and those within it, into evaluation mode.
  virtual void EvaluateLayer(const std::string& name) { named_modules()[name]->eval(); }
};

// A network and the columns that it takes. Copies share the state. Thread-compatible.
struct Network {
  ModulePtr module;
  InputSpecs inputs;
  // The limits of ids by column; see Architecture::IdLimits().
  std::map<std::string, std::vector<int64_t>> id_limits = {};
  // The column whose rows may be shorter than `inputs` says, or ragged; may be empty. A ragged
  // column is [places, ...]: the places of one row come after those of another. Beside it is a
  // column with its name and kOffsetsSuffix, int64 [n + 1]. It says where the rows begin and where
  // the last one ends.
  std::string any_length = {};
  // What is added to its weights while it is trained; nullptr for most.
  std::shared_ptr<LowRank> low_rank = nullptr;

  // Returns float32, whatever the precision inside. Throws c10::Error: call it in Guard().
  torch::Tensor Forward(const Inputs& columns) const {
    if (low_rank != nullptr) low_rank->Apply();
    return module->Forward(columns).to(torch::kFloat32);
  }

  // Returns float32 with two dimensions. FAILED_PRECONDITION when the network has no embedding.
  // Throws c10::Error: call it in Guard().
  absl::StatusOr<torch::Tensor> Embed(const Inputs& columns) const;

  // Checks that `columns`, on the CPU, are what the network takes: names, shapes, types, and ids
  // within their limits. INVALID_ARGUMENT names the first difference.
  absl::Status Check(const Inputs& columns) const;
  // Does the same without checking the ids.
  absl::Status CheckShapes(const Inputs& columns) const;
};

// Builds a network with torch's default initialisation. The numbers come from torch's global
// generator, so call SeedGenerator() first. INVALID_ARGUMENT when the inputs do not fit. A network
// from a TorchScript file has the file's weights: NOT_FOUND without the file, INVALID_ARGUMENT when
// its digest differs.
absl::StatusOr<Network> MakeNetwork(const ModelSpec& spec, const InputSpecs& inputs);

// Returns the specs of the columns of a block of samples.
InputSpecs SpecsOf(const Inputs& columns);

// Returns the parameters, the buffers and what is added to weights, in a fixed order.
std::vector<std::pair<std::string, torch::Tensor>> StateOf(const Network& network);

// Returns the parameters that are trained, in a fixed order.
std::vector<std::pair<std::string, torch::Tensor>> TrainedOf(const Network& network);

// Seeds torch's global generators, of the CPU and of GPUs, with a pure function of `key`. Only a
// process that trains calls this.
void SeedGenerator(const RandomKey& key);

// Returns the state as a safetensors file. It has an array for each parameter and buffer, the
// inputs in the metadata, and the program of a TorchScript file. The same state gives the same
// bytes.
absl::StatusOr<std::string> EncodeWeights(const Network& network);

// Returns a network of `spec` with these weights, which also define its inputs. DATA_LOSS when the
// bytes are not a safetensors file. FAILED_PRECONDITION, naming the first difference, when the
// weights are of another network.
absl::StatusOr<Network> DecodeNetwork(const ModelSpec& spec, std::string_view weights);

// FAILED_PRECONDITION when `network` runs another program than the current file of `spec`.
absl::Status CheckProgram(const ModelSpec& spec, const Network& network);

// Converts the inputs of a network to metadata of its weights, and back. DATA_LOSS.
void WriteInputs(const InputSpecs& inputs, TensorFile& file);
absl::StatusOr<InputSpecs> ReadInputs(const TensorFile& file);

// Converts tensors to arrays of a TensorFile, and back, for weights and other stored tensors.
// BytesOf() returns a view of `kept`, which receives a contiguous copy on the CPU.
TensorBytes BytesOf(const torch::Tensor& tensor, std::vector<torch::Tensor>& kept);
// Returns a tensor that owns a copy of the bytes. DATA_LOSS for a dtype that BytesOf() never
// returns.
absl::StatusOr<torch::Tensor> TensorOf(const TensorBytes& bytes);

// Whether an array of a file of weights is the program of a network, and no weight.
bool IsProgram(std::string_view name);

// Adds the state as arrays named `prefix` + name.
void SaveState(const Network& network, const std::string& prefix, TensorFile& file,
               std::vector<torch::Tensor>& kept);
// Copies these arrays into the network. FAILED_PRECONDITION when names, types or shapes differ.
absl::Status LoadState(const TensorFile& file, const std::string& prefix, const Network& network);

}  // namespace tidemill::models
