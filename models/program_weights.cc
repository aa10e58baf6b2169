#include "models/program_weights.h"

#include "models/torch/safetensors.h"

namespace tidemill::models {
namespace {

constexpr char kPickle[] = "program.pickle";
// As EncodeWeights() names it.
constexpr char kScript[] = "torchscript.program";

}  // namespace

absl::StatusOr<std::string> EncodePickle(std::string_view pickle) {
  TensorFile file;
  file.tensors[kPickle] = {"U8", {static_cast<int64_t>(pickle.size())}, pickle};
  return WriteTensorFile(file);
}

absl::StatusOr<PackedModel> DecodePackedModel(std::string_view weights) {
  ASSIGN_OR_RETURN(const TensorFile file, ReadTensorFile(weights));
  if (const auto found = file.tensors.find(kPickle); found != file.tensors.end()) {
    return PackedModel{.form = kPickleForm, .bytes = std::string(found->second.bytes)};
  }
  if (const auto found = file.tensors.find(kScript); found != file.tensors.end()) {
    return PackedModel{.form = kTorchScriptForm, .bytes = std::string(found->second.bytes)};
  }
  return FailedPrecondition("the weights are those of a network, which no program has returned");
}

}  // namespace tidemill::models
