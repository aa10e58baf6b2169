// Squared errors.
#pragma once

#include <optional>
#include <string_view>

#include "config/config.h"
#include "models/training/losses/loss_spec.h"

namespace tidemill::models {

struct Mse {
  static constexpr std::string_view kType = "mse";
  static constexpr std::string_view kDoc = "Squared errors, for real labels.";
  static constexpr std::optional<ClassOutputs> kClassOutputs = std::nullopt;

  void Fields(auto&&) {}
  friend bool operator==(const Mse&, const Mse&) = default;
};

at::Tensor LossesOf(const Mse& spec, const at::Tensor& output, const at::Tensor& target);
at::Tensor GradientsOf(const Mse& spec, const at::Tensor& output, const at::Tensor& target);

}  // namespace tidemill::models
