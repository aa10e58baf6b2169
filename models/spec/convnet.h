// Convolutions over images. Rows have the shape [height, width] or [channels, height, width].
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "models/spec/input_checks.h"
#include "models/spec/model_spec.h"
#include "models/spec/network_docs.h"

namespace tidemill::models {

struct Convnet {
  static constexpr std::string_view kType = "convnet";
  static constexpr std::string_view kDoc =
      "A small convolutional network for images: blocks of 3x3 convolution, ReLU and 2x2 "
      "maximum, then one hidden layer.";
  static constexpr RowLengths kLengths = RowLengths::kOne;
  std::vector<int64_t> channels = {32, 64};
  int64_t hidden = 128;
  int64_t outputs = 1;
  double dropout = 0;

  void Fields(auto&& field) {
    field("channels", channels, "Channels of each convolution.", {.min = 1, .max = 4096});
    field("hidden", hidden, "Units of the hidden layer.", {.min = 1, .max = 65536});
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
    field("dropout", dropout, kDropoutDoc, {.min = 0, .max = 0.95});
  }
  void Check(config::Problems& problems) const {
    if (channels.empty() || channels.size() > 6) {
      problems.Add("channels", "must name one to six convolutions", "write channels: [32, 64]");
    }
  }

  std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const {
    return CheckImages("a convnet", inputs);
  }
  std::vector<int64_t> IdLimits(std::string_view /*column*/) const { return {}; }
  bool HasSparseGradients() const { return false; }
  bool IsSmall() const { return false; }

  friend bool operator==(const Convnet&, const Convnet&) = default;
};

absl::StatusOr<ModulePtr> MakeModule(const Convnet& spec, const NetworkParts& parts);

}  // namespace tidemill::models
