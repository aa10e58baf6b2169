#include "models/network.h"

#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/files.h"
#include "models/spec/networks.h"
#include "models/torch/guard.h"

namespace tidemill::models {
namespace {

// `input_shape`, `input_categories_shape` ...: "3,28,28", or "int64 20".
constexpr std::string_view kShapeSuffix = "_shape";
constexpr std::string_view kIntegers = "int64 ";
// The array with the bytes of a TorchScript file.
constexpr char kProgram[] = "torchscript.program";

constexpr std::pair<torch::ScalarType, std::string_view> kTypes[] = {
    {torch::kFloat32, "F32"}, {torch::kFloat64, "F64"},  {torch::kInt64, "I64"},
    {torch::kInt32, "I32"},   {torch::kUInt8, "U8"},     {torch::kBool, "BOOL"},
    {torch::kHalf, "F16"},    {torch::kBFloat16, "BF16"}};

std::string ShapeText(std::span<const int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// A network of parts that suit.
absl::StatusOr<Network> Build(const ModelSpec& spec, const NetworkParts& parts) {
  ASSIGN_OR_RETURN(ModulePtr module,
                   config::Dispatch(Networks(), spec, [&](const auto& architecture) {
                     return MakeModule(architecture, parts);
                   }));
  Network network{std::move(module), parts.inputs};
  for (const auto& [name, input] : parts.inputs) {
    if (input.is_integer) network.id_limits[name] = spec->IdLimits(name);
  }
  return network;
}

absl::Status CheckIds(const std::string& name, const torch::Tensor& column,
                      const std::vector<int64_t>& limits) {
  if (limits.empty() || column.numel() == 0) return absl::OkStatus();
  const auto size = static_cast<int64_t>(limits.size());
  const torch::Tensor bounds = torch::tensor(limits, torch::kInt64);
  const torch::Tensor ids = size == 1 ? column.flatten() : column.reshape({-1, size});
  const torch::Tensor wrong = ids.lt(0).logical_or(ids.ge(bounds));
  if (!wrong.any().item<bool>()) return absl::OkStatus();
  const auto first = wrong.flatten().nonzero()[0].item<int64_t>();
  const auto id = ids.flatten()[first].item<int64_t>();
  return InvalidArgument("'{}' holds the id {}, but the model has ids from 0 to {}", name, id,
                         limits[first % size] - 1);
}

// Whether rows have the type and the shape of `input`, except for the number of places. For ragged
// ones, `given` is the shape of the value at one place.
bool DiffersInLength(const InputSpec& given, const InputSpec& input, bool is_ragged) {
  if (given.is_integer != input.is_integer || input.shape.empty()) return false;
  const bool is_no_longer = is_ragged || (!given.shape.empty() && given.shape[0] <= input.shape[0]);
  const auto first = given.shape.begin() + (is_ragged ? 0 : 1);
  return is_no_longer &&
         std::equal(first, given.shape.end(), input.shape.begin() + 1, input.shape.end());
}

absl::StatusOr<InputSpec> ParseInput(std::string_view text) {
  InputSpec input;
  if (text.starts_with(kIntegers)) {
    input.is_integer = true;
    text.remove_prefix(kIntegers.size());
  }
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int64_t dimension = 0;
    const auto [next, error] = std::from_chars(at, end, dimension);
    if (error != std::errc() || dimension < 1) {
      return DataLoss("the weights name an input shape that is not valid");
    }
    input.shape.push_back(dimension);
    at = next + 1;
  }
  return input;
}

}  // namespace

std::function<void(const torch::Tensor&)> NetworkModule::WeightSetter(const std::string& layer) {
  const auto modules = named_modules("", /*include_self=*/false);
  const auto* const found = modules.find(layer);
  if (found == nullptr) return nullptr;
  const auto linear = std::dynamic_pointer_cast<torch::nn::LinearImpl>(*found);
  if (linear == nullptr) return nullptr;
  return [linear](const torch::Tensor& weight) { linear->weight = weight; };
}

absl::Status Network::CheckShapes(const Inputs& columns) const {
  const bool is_ragged =
      !any_length.empty() && columns.contains(any_length + std::string(kOffsetsSuffix));
  for (const auto& [name, input] : inputs) {
    const auto it = columns.find(name);
    if (it == columns.end()) return InvalidArgument("there is no column '{}' for the model", name);
    const torch::Tensor& column = it->second;
    const InputSpec given{column.sizes().slice(1).vec(), column.scalar_type() == torch::kInt64};
    if (given == input && !(is_ragged && name == any_length)) continue;
    if (name == any_length && DiffersInLength(given, input, is_ragged)) continue;
    return InvalidArgument("'{}' has rows of {}, but the model takes {}", name, Describe(given),
                           Describe(input));
  }
  const size_t num_columns = inputs.size() + (is_ragged ? 1 : 0);
  if (columns.size() == num_columns) return absl::OkStatus();
  return InvalidArgument("there are {} columns, but the model takes {}", columns.size(),
                         num_columns);
}

absl::Status Network::Check(const Inputs& columns) const {
  RETURN_IF_ERROR(CheckShapes(columns));
  for (const auto& [name, limits] : id_limits) {
    const auto it = columns.find(name);
    if (it != columns.end()) RETURN_IF_ERROR(CheckIds(name, it->second, limits));
  }
  return absl::OkStatus();
}

absl::StatusOr<torch::Tensor> Network::Embed(const Inputs& columns) const {
  if (!module->has_embedding()) {
    return FailedPrecondition(
        "the TorchScript module has no method embed; export one that takes the same columns as "
        "forward and returns the input of the last layer, [n, d]");
  }
  if (low_rank != nullptr) low_rank->Apply();
  const torch::Tensor embedded = module->Embed(columns).to(torch::kFloat32);
  const int64_t num_rows = columns.begin()->second.size(0);
  if (embedded.dim() < 1 || embedded.size(0) != num_rows) {
    return FailedPrecondition(
        "the network's method embed gives {} for {} samples instead of [n, d]",
        ShapeText(embedded.sizes().vec()), num_rows);
  }
  return embedded.reshape({num_rows, -1});
}

InputSpecs SpecsOf(const Inputs& columns) {
  InputSpecs specs;
  for (const auto& [name, column] : columns) {
    specs[name] = {column.sizes().slice(1).vec(), column.scalar_type() == torch::kInt64};
  }
  return specs;
}

absl::StatusOr<Network> MakeNetwork(const ModelSpec& spec, const InputSpecs& inputs) {
  if (const auto problem = spec->FindInputProblem(inputs)) {
    return InvalidArgument("{}; {}", problem->message, problem->hint);
  }
  return Guard("making the network", [&]() -> absl::StatusOr<Network> {
    NetworkParts parts = {.inputs = inputs};
    if (const auto file = spec->File()) {
      ASSIGN_OR_RETURN(parts.file, files::Read(file->path));
    }
    return Build(spec, parts);
  });
}

std::vector<std::pair<std::string, torch::Tensor>> StateOf(const Network& network) {
  std::vector<std::pair<std::string, torch::Tensor>> state;
  for (const auto& item : network.module->named_parameters()) {
    state.emplace_back(item.key(), item.value());
  }
  for (const auto& item : network.module->named_buffers()) {
    if (item.value().defined()) state.emplace_back(item.key(), item.value());
  }
  if (network.low_rank != nullptr) {
    for (auto& added : network.low_rank->State()) state.push_back(std::move(added));
  }
  return state;
}

std::vector<std::pair<std::string, torch::Tensor>> TrainedOf(const Network& network) {
  std::vector<std::pair<std::string, torch::Tensor>> trained;
  for (const auto& item : network.module->named_parameters()) {
    if (item.value().requires_grad()) trained.emplace_back(item.key(), item.value());
  }
  if (network.low_rank != nullptr) {
    for (auto& added : network.low_rank->State()) trained.push_back(std::move(added));
  }
  return trained;
}

void SeedGenerator(const RandomKey& key) { torch::manual_seed(RandomBits(key, 0) >> 1); }

TensorBytes BytesOf(const torch::Tensor& tensor, std::vector<torch::Tensor>& kept) {
  kept.push_back(tensor.detach().to(torch::kCPU).contiguous());
  const torch::Tensor& copy = kept.back();
  std::string_view dtype = "U8";
  for (const auto& [type, name] : kTypes) {
    if (copy.scalar_type() == type) dtype = name;
  }
  return {std::string(dtype),
          copy.sizes().vec(),
          {static_cast<const char*>(copy.data_ptr()), copy.nbytes()}};
}

absl::StatusOr<torch::Tensor> TensorOf(const TensorBytes& bytes) {
  for (const auto& [type, name] : kTypes) {
    if (bytes.dtype != name) continue;
    torch::Tensor tensor = torch::empty(bytes.shape, torch::TensorOptions().dtype(type));
    if (!bytes.bytes.empty()) {
      std::memcpy(tensor.data_ptr(), bytes.bytes.data(), bytes.bytes.size());
    }
    return tensor;
  }
  return DataLoss("arrays of type {} are not supported", bytes.dtype);
}

bool IsProgram(std::string_view name) { return name == kProgram; }

void SaveState(const Network& network, const std::string& prefix, TensorFile& file,
               std::vector<torch::Tensor>& kept) {
  for (const auto& [name, tensor] : StateOf(network)) {
    file.tensors[prefix + name] = BytesOf(tensor, kept);
  }
}

absl::Status LoadState(const TensorFile& file, const std::string& prefix, const Network& network) {
  const torch::NoGradGuard no_gradients;
  size_t num_found = 0;
  for (const auto& [name, tensor] : StateOf(network)) {
    const auto it = file.tensors.find(prefix + name);
    if (it == file.tensors.end()) return FailedPrecondition("the weights have no {}", name);
    ASSIGN_OR_RETURN(const torch::Tensor stored, TensorOf(it->second));
    if (stored.scalar_type() != tensor.scalar_type() || stored.sizes() != tensor.sizes()) {
      return FailedPrecondition("{} has the shape {}, but the network has {}", name,
                                ShapeText(stored.sizes().vec()), ShapeText(tensor.sizes().vec()));
    }
    torch::Tensor target = tensor;
    target.copy_(stored);
    ++num_found;
  }
  const size_t num_arrays = file.tensors.size() - file.tensors.count(kProgram);
  if (prefix.empty() && num_found != num_arrays) {
    return FailedPrecondition("the weights hold {} arrays, but the network has {}", num_arrays,
                              num_found);
  }
  return absl::OkStatus();
}

void WriteInputs(const InputSpecs& inputs, TensorFile& file) {
  for (const auto& [name, input] : inputs) {
    file.metadata[name + std::string(kShapeSuffix)] =
        fmt::format("{}{}", input.is_integer ? kIntegers : "", fmt::join(input.shape, ","));
  }
}

absl::StatusOr<InputSpecs> ReadInputs(const TensorFile& file) {
  InputSpecs inputs;
  for (const auto& [key, text] : file.metadata) {
    if (!key.starts_with(kInput) || !key.ends_with(kShapeSuffix)) continue;
    ASSIGN_OR_RETURN(inputs[key.substr(0, key.size() - kShapeSuffix.size())], ParseInput(text));
  }
  if (inputs.empty()) return DataLoss("the weights name no input shape");
  return inputs;
}

absl::StatusOr<std::string> EncodeWeights(const Network& network) {
  return Guard("encoding weights", [&]() -> absl::StatusOr<std::string> {
    TensorFile file;
    std::vector<torch::Tensor> kept;
    SaveState(network, "", file, kept);
    if (network.low_rank != nullptr) {
      for (const auto& [name, added] : network.low_rank->State()) file.tensors.erase(name);
      for (const auto& [name, sum] : network.low_rank->Merged()) {
        file.tensors[name] = BytesOf(sum, kept);
      }
    }
    WriteInputs(network.inputs, file);
    if (const std::string_view program = network.module->program(); !program.empty()) {
      file.tensors[kProgram] = {"U8", {static_cast<int64_t>(program.size())}, program};
      file.metadata["torchscript_sha256"] = Sha256(program);
    }
    return WriteTensorFile(file);
  });
}

absl::StatusOr<Network> DecodeNetwork(const ModelSpec& spec, std::string_view weights) {
  ASSIGN_OR_RETURN(const TensorFile file, ReadTensorFile(weights));
  ASSIGN_OR_RETURN(const InputSpecs inputs, ReadInputs(file));
  Network network;
  if (spec->File()) {
    const auto program = file.tensors.find(kProgram);
    if (program == file.tensors.end()) {
      return FailedPrecondition("the weights hold no TorchScript file");
    }
    ASSIGN_OR_RETURN(network, Build(spec, {inputs, std::string(program->second.bytes)}));
  } else {
    // Weights for inputs that the network cannot take belong to another network.
    const auto made = MakeNetwork(spec, inputs);
    if (absl::IsInvalidArgument(made.status())) {
      return FailedPrecondition("{}", std::string(made.status().message()));
    }
    if (!made.ok()) return made.status();
    network = *made;
  }
  RETURN_IF_ERROR(Guard("loading weights", [&] { return LoadState(file, "", network); }));
  return network;
}

absl::Status CheckProgram(const ModelSpec& spec, const Network& network) {
  const std::optional<NetworkFile> file = spec->File();
  if (!file) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string program, files::Read(file->path));
  if (program == network.module->program()) return absl::OkStatus();
  return FailedPrecondition(
      "{} has changed since the model to start from was trained; train without warm_start",
      file->path);
}

}  // namespace tidemill::models
