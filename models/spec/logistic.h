// One linear layer over a row of numbers.
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

struct Logistic {
  static constexpr std::string_view kType = "logistic";
  static constexpr std::string_view kDoc =
      "A linear model over the flattened input. It is logistic regression with a loss for classes, "
      "and linear regression with a loss for real labels.";
  static constexpr RowLengths kLengths = RowLengths::kOne;
  int64_t outputs = 1;

  void Fields(auto&& field) {
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
  }

  std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const {
    return CheckVector("a logistic model", inputs);
  }
  std::vector<int64_t> IdLimits(std::string_view /*column*/) const { return {}; }
  bool HasSparseGradients() const { return false; }
  bool IsSmall() const { return true; }

  friend bool operator==(const Logistic&, const Logistic&) = default;
};

absl::StatusOr<ModulePtr> MakeModule(const Logistic& spec, const NetworkParts& parts);

}  // namespace tidemill::models
