// RMSprop.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "models/training/optimizers/optimizer_spec.h"

namespace tidemill::models {

struct RmsProp {
  static constexpr std::string_view kType = "rmsprop";
  static constexpr std::string_view kDoc =
      "RMSprop (Tieleman and Hinton, 2012). Steps are divided by the root of a mean of squared "
      "gradients.";
  double lr = 0.01;
  double alpha = 0.99;
  double momentum = 0;
  bool centered = false;
  double epsilon = 1e-8;
  double weight_decay = 0;

  void Fields(auto&& field) {
    field("lr", lr, "Learning rate.", {.min = 0, .max = 1000});
    field("alpha", alpha, "Decay of the mean of the squared gradients.",
          {.min = 0, .max = 0.999999});
    field("momentum", momentum, "Share of the last step that the next step keeps.",
          {.min = 0, .max = 0.9999});
    field("centered", centered, "Divide by the deviation of the gradients instead (Graves, 2013).");
    field("epsilon", epsilon, "Added to the divisor.", {.min = 0});
    field("weight_decay", weight_decay, kDecayDoc, {.min = 0});
  }
  bool TakesSparseGradients() const { return false; }
  friend bool operator==(const RmsProp&, const RmsProp&) = default;
};

std::unique_ptr<OptimizerModule> MakeOptimizerModule(const RmsProp& spec);

}  // namespace tidemill::models
