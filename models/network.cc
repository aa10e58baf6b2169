#include "models/network.h"

#include <charconv>
#include <utility>

#include "base/overloaded.h"
#include "models/guard.h"

namespace tidemill::models {
namespace {

namespace nn = torch::nn;

constexpr char kInputShape[] = "input_shape";

std::string ShapeText(std::span<const int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

int64_t Product(std::span<const int64_t> shape) {
  int64_t product = 1;
  for (const int64_t dimension : shape) product *= dimension;
  return product;
}

// push_back() takes a name only as a std::string that is no reference.
template <typename Module>
void Push(nn::Sequential& layers, const std::string& name, const Module& module) {
  layers->push_back(std::string(name), module);
}

void PushHidden(nn::Sequential& layers, const std::string& name, int64_t in, int64_t out,
                double dropout) {
  Push(layers, name, nn::Linear(in, out));
  Push(layers, name + "_relu", nn::ReLU());
  if (dropout > 0) Push(layers, name + "_dropout", nn::Dropout(dropout));
}

absl::StatusOr<nn::Sequential> MakeMlp(const Mlp& spec, std::span<const int64_t> input_shape) {
  nn::Sequential layers;
  Push(layers, "flatten", nn::Flatten());
  int64_t width = Product(input_shape);
  for (size_t i = 0; i < spec.hidden.size(); ++i) {
    PushHidden(layers, fmt::format("hidden{}", i + 1), width, spec.hidden[i], spec.dropout);
    width = spec.hidden[i];
  }
  Push(layers, "output", nn::Linear(width, spec.outputs));
  return layers;
}

absl::StatusOr<nn::Sequential> MakeConvnet(const Convnet& spec,
                                           std::span<const int64_t> input_shape) {
  std::vector<int64_t> shape(input_shape.begin(), input_shape.end());
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  if (shape.size() != 3) {
    return InvalidArgument(
        "a convnet needs inputs of shape [height, width] or [channels, height, width], not {}",
        ShapeText(input_shape));
  }
  nn::Sequential layers;
  // Rows of [height, width] become images of one channel; others stay as they are.
  Push(layers, "image", nn::Flatten(nn::FlattenOptions().start_dim(1).end_dim(-1)));
  Push(layers, "channels", nn::Unflatten(nn::UnflattenOptions(1, std::vector<int64_t>(shape))));
  for (size_t i = 0; i < spec.channels.size(); ++i) {
    if (shape[1] < 2 || shape[2] < 2) {
      return InvalidArgument("images of shape {} are too small for {} convolutions",
                             ShapeText(input_shape), spec.channels.size());
    }
    const std::string name = fmt::format("conv{}", i + 1);
    Push(layers, name, nn::Conv2d(nn::Conv2dOptions(shape[0], spec.channels[i], 3).padding(1)));
    Push(layers, name + "_relu", nn::ReLU());
    Push(layers, name + "_pool", nn::MaxPool2d(nn::MaxPool2dOptions(2)));
    shape = {spec.channels[i], shape[1] / 2, shape[2] / 2};
  }
  Push(layers, "flatten", nn::Flatten());
  PushHidden(layers, "hidden", Product(shape), spec.hidden, spec.dropout);
  Push(layers, "output", nn::Linear(spec.hidden, spec.outputs));
  return layers;
}

absl::StatusOr<std::vector<int64_t>> ParseShape(const TensorFile& file) {
  const auto it = file.metadata.find(kInputShape);
  if (it == file.metadata.end()) return DataLoss("the weights name no input shape");
  std::vector<int64_t> shape;
  const char* at = it->second.data();
  const char* const end = at + it->second.size();
  while (at < end) {
    int64_t dimension = 0;
    const auto [next, error] = std::from_chars(at, end, dimension);
    if (error != std::errc() || dimension < 1)
      return DataLoss("the weights' input shape is broken");
    shape.push_back(dimension);
    at = next + 1;
  }
  return shape;
}

}  // namespace

absl::StatusOr<Network> MakeNetwork(const ModelSpec& spec, std::span<const int64_t> input_shape) {
  return Guard("making the network", [&]() -> absl::StatusOr<Network> {
    const auto layers = std::visit(
        Overloaded{[&](const Mlp& mlp) { return MakeMlp(mlp, input_shape); },
                   [&](const Convnet& convnet) { return MakeConvnet(convnet, input_shape); }},
        spec);
    if (!layers.ok()) return layers.status();
    return Network{*layers, {input_shape.begin(), input_shape.end()}};
  });
}

void SeedGenerator(const RandomKey& key) { torch::manual_seed(RandomBits(key, 0) >> 1); }

TensorBytes BytesOf(const torch::Tensor& tensor, std::vector<torch::Tensor>& kept) {
  kept.push_back(tensor.detach().to(torch::kCPU).contiguous());
  const torch::Tensor& copy = kept.back();
  const char* const dtype = copy.scalar_type() == torch::kFloat32   ? "F32"
                            : copy.scalar_type() == torch::kFloat64 ? "F64"
                            : copy.scalar_type() == torch::kInt64   ? "I64"
                                                                    : "U8";
  return {dtype, copy.sizes().vec(), {static_cast<const char*>(copy.data_ptr()), copy.nbytes()}};
}

absl::StatusOr<torch::Tensor> TensorOf(const TensorBytes& bytes) {
  torch::ScalarType type{};
  if (bytes.dtype == "F32") {
    type = torch::kFloat32;
  } else if (bytes.dtype == "F64") {
    type = torch::kFloat64;
  } else if (bytes.dtype == "I64") {
    type = torch::kInt64;
  } else if (bytes.dtype == "U8") {
    type = torch::kUInt8;
  } else {
    return DataLoss("arrays of type {} are not used here", bytes.dtype);
  }
  torch::Tensor tensor = torch::empty(bytes.shape, torch::TensorOptions().dtype(type));
  if (!bytes.bytes.empty()) std::memcpy(tensor.data_ptr(), bytes.bytes.data(), bytes.bytes.size());
  return tensor;
}

absl::Status LoadParameters(const TensorFile& file, const std::string& prefix, Network& network) {
  const torch::NoGradGuard no_gradients;
  size_t num_found = 0;
  for (auto& parameter : network.layers->named_parameters()) {
    const auto it = file.tensors.find(prefix + parameter.key());
    if (it == file.tensors.end()) {
      return FailedPrecondition("the weights have no {}", parameter.key());
    }
    if (it->second.dtype != "F32" || it->second.shape != parameter.value().sizes().vec()) {
      return FailedPrecondition("{} has the shape {} where the network has {}", parameter.key(),
                                ShapeText(it->second.shape),
                                ShapeText(parameter.value().sizes().vec()));
    }
    ASSIGN_OR_RETURN(const torch::Tensor tensor, TensorOf(it->second));
    parameter.value().copy_(tensor);
    ++num_found;
  }
  if (prefix.empty() && num_found != file.tensors.size()) {
    return FailedPrecondition("the weights hold {} arrays where the network has {}",
                              file.tensors.size(), num_found);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> EncodeWeights(const Network& network) {
  return Guard("encoding weights", [&]() -> absl::StatusOr<std::string> {
    TensorFile file;
    std::vector<torch::Tensor> kept;
    for (const auto& parameter : network.layers->named_parameters()) {
      file.tensors[parameter.key()] = BytesOf(parameter.value(), kept);
    }
    file.metadata[kInputShape] = fmt::format("{}", fmt::join(network.input_shape, ","));
    return WriteTensorFile(file);
  });
}

absl::StatusOr<std::vector<int64_t>> InputShapeOf(std::string_view weights) {
  ASSIGN_OR_RETURN(const TensorFile file, ReadTensorFile(weights));
  return ParseShape(file);
}

absl::StatusOr<Network> DecodeNetwork(const ModelSpec& spec, std::string_view weights) {
  ASSIGN_OR_RETURN(const TensorFile file, ReadTensorFile(weights));
  ASSIGN_OR_RETURN(const std::vector<int64_t> shape, ParseShape(file));
  ASSIGN_OR_RETURN(Network network, MakeNetwork(spec, shape));
  RETURN_IF_ERROR(Guard("loading weights", [&] { return LoadParameters(file, "", network); }));
  return network;
}

}  // namespace tidemill::models
