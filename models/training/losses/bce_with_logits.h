// The loss for two classes with one output.
#pragma once

#include <optional>
#include <string_view>

#include "config/config.h"
#include "models/training/losses/loss_spec.h"

namespace tidemill::models {

struct BceWithLogits {
  static constexpr std::string_view kType = "bce_with_logits";
  static constexpr std::string_view kDoc =
      "For two classes and one output. The sigmoid of the output is the probability of class 1.";
  static constexpr std::optional<ClassOutputs> kClassOutputs = ClassOutputs::kSigmoid;
  double positive_weight = 1;

  void Fields(auto&& field) {
    field("positive_weight", positive_weight, "Factor for the loss of class 1.", {.min = 0});
  }
  friend bool operator==(const BceWithLogits&, const BceWithLogits&) = default;
};

at::Tensor LossesOf(const BceWithLogits& spec, const at::Tensor& output, const at::Tensor& target);
at::Tensor GradientsOf(const BceWithLogits& spec, const at::Tensor& output,
                       const at::Tensor& target);

}  // namespace tidemill::models
