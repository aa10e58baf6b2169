// Networks made from specs, and their weights as bytes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torch/torch.h"

#include "base/random.h"
#include "base/status.h"
#include "models/model_spec.h"
#include "models/safetensors.h"

namespace tidemill::models {

// A network and the shape of one input row. Copies share the weights. Thread-compatible.
struct Network {
  torch::nn::Sequential layers{nullptr};
  std::vector<int64_t> input_shape;

  // [n, ...input_shape] float32 -> [n, outputs] float32. Throws c10::Error: call it in Guard().
  torch::Tensor Forward(const torch::Tensor& input) { return layers->forward(input); }
};

// Builds a network with torch's default initialisation, whose numbers come from torch's global
// generator: SeedGenerator() first. `input_shape`: {width} or any other for an mlp, {height, width}
// or {channels, height, width} for a convnet. INVALID_ARGUMENT when the shape does not suit.
absl::StatusOr<Network> MakeNetwork(const ModelSpec& spec, std::span<const int64_t> input_shape);

// Seeds torch's global generators, of the CPU and of GPUs, with a pure function of `key`.
// Only a process that trains calls this.
void SeedGenerator(const RandomKey& key);

// The weights as a safetensors file: one float32 array for each parameter, `input_shape` in the
// metadata. The same weights give the same bytes.
absl::StatusOr<std::string> EncodeWeights(const Network& network);

// A network of `spec` with these weights; the input shape is theirs. DATA_LOSS for bytes that are
// no safetensors file; FAILED_PRECONDITION, naming the first difference, for weights of another
// network.
absl::StatusOr<Network> DecodeNetwork(const ModelSpec& spec, std::string_view weights);

// The input shape that weights were made for. DATA_LOSS as above.
absl::StatusOr<std::vector<int64_t>> InputShapeOf(std::string_view weights);

// Arrays of a TensorFile as tensors and back, for weights and whatever else is kept beside them.
// A tensor's bytes: a view of `kept`, which holds a contiguous copy on the CPU.
TensorBytes BytesOf(const torch::Tensor& tensor, std::vector<torch::Tensor>& kept);
// A tensor that owns a copy of the bytes. DATA_LOSS for a dtype that BytesOf() never gives.
absl::StatusOr<torch::Tensor> TensorOf(const TensorBytes& bytes);

// Copies arrays named `prefix` + parameter name into the network's parameters.
// FAILED_PRECONDITION when names or shapes differ.
absl::Status LoadParameters(const TensorFile& file, const std::string& prefix, Network& network);

}  // namespace tidemill::models
