// A network from another program, as a TorchScript file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "config/config.h"
#include "models/spec/model_spec.h"
#include "models/spec/network_docs.h"

namespace tidemill::models {

struct TorchScript {
  static constexpr std::string_view kType = "torchscript";
  static constexpr std::string_view kDoc =
      "Any network as a TorchScript file. Its `forward` takes the columns `input`, `input_...` and "
      "returns [n, outputs]. It takes them by name if its arguments have the names of the columns, "
      "and else in the order of the names. If it has a method `embed`, that takes "
      "the same columns and returns the input of the last layer, [n, d], for policies that look at "
      "embeddings. Training begins with the file's weights. The file is kept with each model and "
      "runs only in the processes of trainings and evaluations. It may hold arithmetic on tensors "
      "and nothing else.";
  static constexpr RowLengths kLengths = RowLengths::kAny;
  std::string file = {};
  int64_t outputs = 1;
  Duration timeout = {600'000'000};

  void Fields(auto&& field) {
    field("file", file, "The file, below the pipeline's folder or a folder with data.",
          {.min = 1, .required = true, .example = "network.pt"});
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
    field("timeout", timeout, "Longest time for a batch. A training that takes longer fails.",
          {.min = 0.1});
  }

  std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const;
  std::vector<int64_t> IdLimits(std::string_view /*column*/) const { return {}; }
  bool HasSparseGradients() const { return false; }
  bool IsSmall() const { return false; }

  friend bool operator==(const TorchScript&, const TorchScript&) = default;
};

absl::StatusOr<ModulePtr> MakeModule(const TorchScript& spec, const NetworkParts& parts);

template <>
class ArchitectureOf<TorchScript> final : public ArchitectureBase<TorchScript> {
 public:
  std::optional<NetworkFile> File() const override {
    return NetworkFile{.path = spec_.file, .timeout = spec_.timeout};
  }
  ModelSpec WithFile(std::string path) const override {
    TorchScript changed = spec_;
    changed.file = std::move(path);
    return changed;
  }
};

}  // namespace tidemill::models
