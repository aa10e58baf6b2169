// Adam whose steps have the size of the weights.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "models/training/optimizers/optimizer_spec.h"

namespace tidemill::models {

struct Lamb {
  static constexpr std::string_view kType = "lamb";
  static constexpr std::string_view kDoc =
      "LAMB (You et al., 2020). The step of each array of weights is scaled to the norm of the "
      "array, which keeps large batches stable.";
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-6;
  double weight_decay = 0.01;

  void Fields(auto&& field) {
    field("lr", lr, "Learning rate: the norm of a step, as a share of the norm of the weights.",
          {.min = 0, .max = 1000});
    field("beta1", beta1, "Decay of the mean of the gradients.", {.min = 0, .max = 0.9999});
    field("beta2", beta2, "Decay of the mean of their squares.", {.min = 0, .max = 0.999999});
    field("epsilon", epsilon, "Added to the divisor.", {.min = 0});
    field("weight_decay", weight_decay,
          "Share of each weight that is added to the direction of its step.", {.min = 0});
  }
  bool TakesSparseGradients() const { return false; }
  friend bool operator==(const Lamb&, const Lamb&) = default;
};

std::unique_ptr<OptimizerModule> MakeOptimizerModule(const Lamb& spec);

}  // namespace tidemill::models
