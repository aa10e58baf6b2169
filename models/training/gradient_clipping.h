// The `gradient_clipping` of a `training` section.
#pragma once

#include <optional>
#include <string_view>

#include "config/config.h"

namespace tidemill::models {

// Limits the effect of one batch.
struct GradientClipping {
  static constexpr std::string_view kDoc = "Limits the gradients before each step.";
  std::optional<double> norm = std::nullopt;
  std::optional<double> value = std::nullopt;

  void Fields(auto&& field) {
    field("norm", norm, "Scale all gradients so that their common L2 norm is at most this.",
          {.min = 1e-12, .example = "1.0"});
    field("value", value, "Limit each gradient to [-value, value].", {.min = 1e-12});
  }
  void Check(config::Problems& problems) const {
    if (norm.has_value() == value.has_value()) {
      problems.Add("", "needs either norm or value", "write {norm: 1.0}");
    }
  }
  friend bool operator==(const GradientClipping&, const GradientClipping&) = default;
};

}  // namespace tidemill::models
