// A densely connected network over images. Rows have the shape [height, width] or [channels,
// height, width].
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "models/spec/model_spec.h"
#include "models/spec/network_docs.h"
#include "models/spec/stem.h"

namespace tidemill::models {

struct Densenet121 {
  static constexpr std::string_view kType = "densenet121";
  static constexpr std::string_view kDoc =
      "DenseNet-121 (Huang et al., 2017) for images of at least 16x16: blocks of 6, 12, 24 and 16 "
      "layers, each of which sees the outputs of all layers of its block before it. Its arrays "
      "have the names of torchvision's, so that `training.start_from` takes weights of torchvision "
      "(with stem: standard).";
  static constexpr RowLengths kLengths = RowLengths::kOne;
  int64_t outputs = 1;
  Stem stem = Stem::kAuto;
  int64_t growth = 32;

  void Fields(auto&& field) {
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
    field("stem", stem, kStemDoc);
    field("growth", growth, "Channels that each layer adds. The network begins with twice as many.",
          {.min = 1, .max = 256});
  }

  std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const {
    return CheckStagedImages("a densenet121", stem, inputs);
  }
  std::vector<int64_t> IdLimits(std::string_view /*column*/) const { return {}; }
  bool HasSparseGradients() const { return false; }
  bool IsSmall() const { return false; }

  friend bool operator==(const Densenet121&, const Densenet121&) = default;
};

absl::StatusOr<ModulePtr> MakeModule(const Densenet121& spec, const NetworkParts& parts);

}  // namespace tidemill::models
