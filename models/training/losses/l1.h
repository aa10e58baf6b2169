// Absolute errors.
#pragma once

#include <optional>
#include <string_view>

#include "config/config.h"
#include "models/training/losses/loss_spec.h"

namespace tidemill::models {

struct L1 {
  static constexpr std::string_view kType = "l1";
  static constexpr std::string_view kDoc = "Absolute errors, for real labels with outliers.";
  static constexpr std::optional<ClassOutputs> kClassOutputs = std::nullopt;

  void Fields(auto&&) {}
  friend bool operator==(const L1&, const L1&) = default;
};

at::Tensor LossesOf(const L1& spec, const at::Tensor& output, const at::Tensor& target);
at::Tensor GradientsOf(const L1& spec, const at::Tensor& output, const at::Tensor& target);

}  // namespace tidemill::models
