// The losses of real labels.
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

struct L1 {
  static constexpr std::string_view kType = "l1";
  static constexpr std::string_view kDoc = "Absolute errors, for real labels with outliers.";
  static constexpr std::optional<ClassOutputs> kClassOutputs = std::nullopt;

  void Fields(auto&&) {}
  friend bool operator==(const L1&, const L1&) = default;
};

at::Tensor LossesOf(const L1& spec, const at::Tensor& output, const at::Tensor& target);
at::Tensor GradientsOf(const L1& spec, const at::Tensor& output, const at::Tensor& target);

struct Huber {
  static constexpr std::string_view kType = "huber";
  static constexpr std::string_view kDoc =
      "Half of the squared error up to delta, and delta * (error - delta / 2) above delta (Huber, "
      "1964).";
  static constexpr std::optional<ClassOutputs> kClassOutputs = std::nullopt;
  double delta = 1;

  void Fields(auto&& field) {
    field("delta", delta, "The error from which on the loss is linear.", {.min = 1e-9});
  }
  friend bool operator==(const Huber&, const Huber&) = default;
};

at::Tensor LossesOf(const Huber& spec, const at::Tensor& output, const at::Tensor& target);
at::Tensor GradientsOf(const Huber& spec, const at::Tensor& output, const at::Tensor& target);

struct SmoothL1 {
  static constexpr std::string_view kType = "smooth_l1";
  static constexpr std::string_view kDoc =
      "The loss of `huber` divided by beta: errors above beta count as in `l1`, less beta / 2 "
      "(Girshick, 2015).";
  static constexpr std::optional<ClassOutputs> kClassOutputs = std::nullopt;
  double beta = 1;

  void Fields(auto&& field) {
    field("beta", beta, "The error from which on the loss is linear.", {.min = 1e-9});
  }
  friend bool operator==(const SmoothL1&, const SmoothL1&) = default;
};

at::Tensor LossesOf(const SmoothL1& spec, const at::Tensor& output, const at::Tensor& target);
at::Tensor GradientsOf(const SmoothL1& spec, const at::Tensor& output, const at::Tensor& target);

}  // namespace tidemill::models
