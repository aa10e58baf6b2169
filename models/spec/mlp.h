// Layers of units over a row of numbers.
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

struct Mlp {
  static constexpr std::string_view kType = "mlp";
  static constexpr std::string_view kDoc =
      "A multi-layer perceptron: layers of ReLU units over the flattened input.";
  static constexpr RowLengths kLengths = RowLengths::kOne;
  std::vector<int64_t> hidden = {64};
  int64_t outputs = 1;
  double dropout = 0;

  void Fields(auto&& field) {
    field("hidden", hidden, "Units of each hidden layer; [] for a linear model.",
          {.min = 1, .max = 65536});
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
    field("dropout", dropout, kDropoutDoc, {.min = 0, .max = 0.95});
  }

  std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const {
    return CheckVector("an mlp", inputs);
  }
  std::vector<int64_t> IdLimits(std::string_view /*column*/) const { return {}; }
  bool HasSparseGradients() const { return false; }
  bool IsSmall() const;

  friend bool operator==(const Mlp&, const Mlp&) = default;
};

absl::StatusOr<ModulePtr> MakeModule(const Mlp& spec, const NetworkParts& parts);

}  // namespace tidemill::models
