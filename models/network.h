// Networks made from specs, and their weights as bytes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "torch/torch.h"

#include "base/random.h"
#include "base/status.h"
#include "models/safetensors.h"
#include "models/spec/model_inputs.h"
#include "models/spec/model_spec.h"

namespace tidemill::models {

// A block of samples by column name: [n, ...] each, row r of all of them belongs to one sample.
using Inputs = std::map<std::string, torch::Tensor>;

// The layers of a network. Parameters and buffers together are its state; buffers are what training
// changes without gradients, such as the averages of batch normalisation. Thread-compatible.
class NetworkModule : public torch::nn::Module {
 public:
  // -> [n, outputs]. Throws c10::Error. No size of a batch may enter the computation, so that a
  // trace of it holds for batches of any size.
  virtual torch::Tensor Forward(const Inputs& inputs) = 0;

  // -> [n, d]: what the last layer is given, or the terms whose sum is the output of a network that
  // ends without one. Forward() is made from it. Throws c10::Error; only where has_embedding().
  virtual torch::Tensor Embed(const Inputs& inputs) = 0;

  // False for a program that does not say what its last layer is given.
  virtual bool has_embedding() const { return true; }

  // The program of a network that is a file; else empty.
  virtual std::string_view program() const { return {}; }
};

// A network and what it takes. Copies share the state. Thread-compatible.
struct Network {
  ModulePtr module;
  InputSpecs inputs;
  // By column: see Architecture::IdLimits().
  std::map<std::string, std::vector<int64_t>> id_limits = {};
  // The column, if any, whose rows may also be shorter than `inputs` says, or ragged: [places,
  // ...], those of one row after those of another, beside a column of its name and kOffsetsSuffix,
  // int64 [n + 1], in which they begin and the last one ends.
  std::string any_length = {};

  // Float32, whatever the precision within. Throws c10::Error: call it in Guard().
  torch::Tensor Forward(const Inputs& columns) const {
    return module->Forward(columns).to(torch::kFloat32);
  }

  // Float32 and of two dimensions. FAILED_PRECONDITION for a network that has no embedding. Throws
  // c10::Error: call it in Guard().
  absl::StatusOr<torch::Tensor> Embed(const Inputs& columns) const;

  // Whether `columns`, on the CPU, are what the network takes: names, shapes, types, and ids within
  // their limits. INVALID_ARGUMENT names the first difference.
  absl::Status Check(const Inputs& columns) const;
  // The same without a look at the ids.
  absl::Status CheckShapes(const Inputs& columns) const;
};

// Builds a network with torch's default initialisation, whose numbers come from torch's global
// generator: SeedGenerator() first. INVALID_ARGUMENT when the inputs do not suit. Of a TorchScript
// file: with the file's weights; NOT_FOUND without the file, INVALID_ARGUMENT for another one.
absl::StatusOr<Network> MakeNetwork(const ModelSpec& spec, const InputSpecs& inputs);

// What a block of samples says of its columns.
InputSpecs SpecsOf(const Inputs& columns);

// Parameters, then buffers, in a fixed order.
std::vector<std::pair<std::string, torch::Tensor>> StateOf(const Network& network);

// Seeds torch's global generators, of the CPU and of GPUs, with a pure function of `key`.
// Only a process that trains calls this.
void SeedGenerator(const RandomKey& key);

// The state as a safetensors file: an array for each parameter and buffer, the inputs in the
// metadata, and the program of a TorchScript file. The same state gives the same bytes.
absl::StatusOr<std::string> EncodeWeights(const Network& network);

// A network of `spec` with these weights; its inputs are theirs. DATA_LOSS for bytes that are no
// safetensors file; FAILED_PRECONDITION, naming the first difference, for weights of another
// network.
absl::StatusOr<Network> DecodeNetwork(const ModelSpec& spec, std::string_view weights);

// FAILED_PRECONDITION when `network` runs another program than the file of `spec` holds now.
absl::Status CheckProgram(const ModelSpec& spec, const Network& network);

// What a network takes as metadata of its weights, and back. DATA_LOSS.
void WriteInputs(const InputSpecs& inputs, TensorFile& file);
absl::StatusOr<InputSpecs> ReadInputs(const TensorFile& file);

// Arrays of a TensorFile as tensors and back, for weights and whatever else is kept beside them.
// A tensor's bytes: a view of `kept`, which holds a contiguous copy on the CPU.
TensorBytes BytesOf(const torch::Tensor& tensor, std::vector<torch::Tensor>& kept);
// A tensor that owns a copy of the bytes. DATA_LOSS for a dtype that BytesOf() never gives.
absl::StatusOr<torch::Tensor> TensorOf(const TensorBytes& bytes);

// Adds the state as arrays named `prefix` + name.
void SaveState(const Network& network, const std::string& prefix, TensorFile& file,
               std::vector<torch::Tensor>& kept);
// Copies such arrays into the network. FAILED_PRECONDITION when names, types or shapes differ.
absl::Status LoadState(const TensorFile& file, const std::string& prefix, const Network& network);

}  // namespace tidemill::models
