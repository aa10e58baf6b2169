// Steps along the sign of the momentum.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "models/training/optimizers/optimizer_spec.h"

namespace tidemill::models {

struct Lion {
  static constexpr std::string_view kType = "lion";
  static constexpr std::string_view kDoc =
      "Lion (Chen et al., 2023). Each weight moves by the learning rate, along the sign of a mean "
      "of gradients. It keeps half of the state of Adam, and needs a learning rate that is 3 to 10 "
      "times smaller.";
  double lr = 1e-4;
  double beta1 = 0.9;
  double beta2 = 0.99;
  double weight_decay = 0;

  void Fields(auto&& field) {
    field("lr", lr, "Learning rate.", {.min = 0, .max = 1000});
    field("beta1", beta1, "Share of the mean in the direction of a step.",
          {.min = 0, .max = 0.9999});
    field("beta2", beta2, "Decay of the mean of the gradients.", {.min = 0, .max = 0.999999});
    field("weight_decay", weight_decay, "Each step subtracts this share of each weight, times lr.",
          {.min = 0});
  }
  bool TakesSparseGradients() const { return false; }
  friend bool operator==(const Lion&, const Lion&) = default;
};

std::unique_ptr<OptimizerModule> MakeOptimizerModule(const Lion& spec);

}  // namespace tidemill::models
