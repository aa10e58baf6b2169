// A deeper residual network over images. Rows have the shape [height, width] or [channels, height,
// width].
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

struct Resnet50 {
  static constexpr std::string_view kType = "resnet50";
  static constexpr std::string_view kDoc =
      "ResNet-50 (He et al., 2016) for images of at least 16x16: stages of 3, 4, 6 and 3 residual "
      "blocks of three convolutions, with batch normalisation. Its arrays have the names of "
      "torchvision's, so that `training.start_from` takes weights of torchvision (with stem: "
      "standard).";
  static constexpr RowLengths kLengths = RowLengths::kOne;
  int64_t outputs = 1;
  Stem stem = Stem::kAuto;
  int64_t width = 64;

  void Fields(auto&& field) {
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
    field("stem", stem, kStemDoc);
    field("width", width,
          "Channels within the blocks of the first stage. Each later stage has twice as many, and "
          "four times as many between blocks.",
          {.min = 1, .max = 1024});
  }

  std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const {
    return CheckStagedImages("a resnet50", stem == Stem::kStandard ? Stem::kAuto : stem, inputs);
  }
  std::vector<int64_t> IdLimits(std::string_view /*column*/) const { return {}; }
  bool HasSparseGradients() const { return false; }
  bool IsSmall() const { return false; }

  friend bool operator==(const Resnet50&, const Resnet50&) = default;
};

absl::StatusOr<ModulePtr> MakeModule(const Resnet50& spec, const NetworkParts& parts);

}  // namespace tidemill::models
