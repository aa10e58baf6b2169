// A recurrent network over time series. Rows are float32 [history, features], the latest last.
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

struct Gru {
  static constexpr std::string_view kType = "gru";
  static constexpr std::string_view kDoc =
      "Gated recurrent units (Cho et al., 2014) over the history. The last state gives the output.";
  static constexpr RowLengths kLengths = RowLengths::kOne;
  int64_t hidden = 64;
  int64_t layers = 1;
  double dropout = 0;
  bool residual = false;
  int64_t outputs = 1;

  void Fields(auto&& field) {
    field("hidden", hidden, "Units of each layer.", {.min = 1, .max = 8192});
    field("layers", layers, "Layers.", {.min = 1, .max = 16});
    field("dropout", dropout, "Share of units that are silenced between layers.",
          {.min = 0, .max = 0.95});
    field("residual", residual, kResidualDoc);
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
  }

  std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const {
    return CheckSeries("a gru", inputs);
  }
  std::vector<int64_t> IdLimits(std::string_view /*column*/) const { return {}; }
  bool HasSparseGradients() const { return false; }
  bool IsSmall() const { return false; }

  friend bool operator==(const Gru&, const Gru&) = default;
};

absl::StatusOr<ModulePtr> MakeModule(const Gru& spec, const NetworkParts& parts);

}  // namespace tidemill::models
