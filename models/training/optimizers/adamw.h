// Adam with decoupled weight decay.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "models/training/optimizers/optimizer_spec.h"

namespace tidemill::models {

struct AdamW {
  static constexpr std::string_view kType = "adamw";
  static constexpr std::string_view kDoc =
      "Adam with a decay that acts on the weights themselves (Loshchilov and Hutter, 2019).";
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;

  void Fields(auto&& field) {
    field("lr", lr, "Learning rate.", {.min = 0, .max = 1000});
    field("beta1", beta1, "Decay of the mean of the gradients.", {.min = 0, .max = 0.9999});
    field("beta2", beta2, "Decay of the mean of their squares.", {.min = 0, .max = 0.999999});
    field("epsilon", epsilon, "Added to the divisor.", {.min = 0});
    field("weight_decay", weight_decay, "Each step subtracts this share of each weight, times lr.",
          {.min = 0});
  }
  bool TakesSparseGradients() const { return false; }
  friend bool operator==(const AdamW&, const AdamW&) = default;
};

std::unique_ptr<OptimizerModule> MakeOptimizerModule(const AdamW& spec);

}  // namespace tidemill::models
