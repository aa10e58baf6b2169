// Convolutions over time series. Rows are float32 [history, features], the latest last.
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

struct Tcn {
  static constexpr std::string_view kType = "tcn";
  static constexpr std::string_view kDoc =
      "A temporal convolutional network (Bai et al., 2018): layers of causal convolutions whose "
      "reach doubles, with residual connections.";
  static constexpr RowLengths kLengths = RowLengths::kOne;
  int64_t hidden = 32;
  int64_t layers = 4;
  int64_t kernel = 3;
  double dropout = 0;
  bool residual = false;
  int64_t outputs = 1;

  void Fields(auto&& field) {
    field("hidden", hidden, "Channels of each layer.", {.min = 1, .max = 8192});
    field("layers", layers,
          "Number of layers, each of two convolutions. Together they see 1 + 2 * (kernel - 1) * "
          "(2^layers - 1) rows.",
          {.min = 1, .max = 16});
    field("kernel", kernel, "Number of rows that a convolution looks at.", {.min = 2, .max = 64});
    field("dropout", dropout, kDropoutDoc, {.min = 0, .max = 0.95});
    field("residual", residual, kResidualDoc);
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
  }

  std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const {
    return CheckSeries("a tcn", inputs);
  }
  std::vector<int64_t> IdLimits(std::string_view /*column*/) const { return {}; }
  bool HasSparseGradients() const { return false; }
  bool IsSmall() const { return false; }

  friend bool operator==(const Tcn&, const Tcn&) = default;
};

absl::StatusOr<ModulePtr> MakeModule(const Tcn& spec, const NetworkParts& parts);

}  // namespace tidemill::models
