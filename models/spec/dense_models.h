// Networks over a row of numbers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace tidemill::models {

inline constexpr std::string_view kOutputsDoc =
    "Numbers that the network gives: the classes, or 1 for a real label or bce_with_logits.";
inline constexpr std::string_view kDropoutDoc =
    "Share of hidden units silenced at random in each training step.";

struct Logistic {
  static constexpr std::string_view kType = "logistic";
  static constexpr std::string_view kDoc =
      "A linear model over the flattened input: logistic regression with a loss for classes, "
      "linear regression with one for real labels.";
  int64_t outputs = 1;

  void Fields(auto&& field) {
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
  }
  friend bool operator==(const Logistic&, const Logistic&) = default;
};

struct Mlp {
  static constexpr std::string_view kType = "mlp";
  static constexpr std::string_view kDoc =
      "A multi-layer perceptron: layers of ReLU units over the flattened input.";
  std::vector<int64_t> hidden = {64};
  int64_t outputs = 1;
  double dropout = 0;

  void Fields(auto&& field) {
    field("hidden", hidden, "Units of each hidden layer; [] for a linear model.",
          {.min = 1, .max = 65536});
    field("outputs", outputs, kOutputsDoc, {.min = 1, .max = 1048576, .required = true});
    field("dropout", dropout, kDropoutDoc, {.min = 0, .max = 0.95});
  }
  friend bool operator==(const Mlp&, const Mlp&) = default;
};

}  // namespace tidemill::models
