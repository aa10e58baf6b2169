// Adam with the momentum of Nesterov.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "models/training/optimizers/optimizer_spec.h"

namespace tidemill::models {

struct NAdam {
  static constexpr std::string_view kType = "nadam";
  static constexpr std::string_view kDoc =
      "Adam that looks ahead along the momentum (Dozat, 2016), whose share rises during the first "
      "steps.";
  double lr = 2e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double momentum_decay = 4e-3;
  double weight_decay = 0;

  void Fields(auto&& field) {
    field("lr", lr, "Learning rate.", {.min = 0, .max = 1000});
    field("beta1", beta1, "Decay of the mean of the gradients.", {.min = 0, .max = 0.9999});
    field("beta2", beta2, "Decay of the mean of their squares.", {.min = 0, .max = 0.999999});
    field("epsilon", epsilon, "Added to the divisor.", {.min = 0});
    field("momentum_decay", momentum_decay,
          "How fast the momentum rises to beta1: in step t it is beta1 * (1 - 0.96^(t * "
          "momentum_decay) / 2).",
          {.min = 0, .max = 1});
    field("weight_decay", weight_decay, kDecayDoc, {.min = 0});
  }
  bool TakesSparseGradients() const { return false; }
  friend bool operator==(const NAdam&, const NAdam&) = default;
};

std::unique_ptr<OptimizerModule> MakeOptimizerModule(const NAdam& spec);

}  // namespace tidemill::models
