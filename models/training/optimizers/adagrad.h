// Adagrad.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "models/training/optimizers/optimizer_spec.h"

namespace tidemill::models {

struct Adagrad {
  static constexpr std::string_view kType = "adagrad";
  static constexpr std::string_view kDoc =
      "Adagrad (Duchi et al., 2011). Steps become smaller with the gradients seen. It is good for "
      "embeddings and takes sparse gradients.";
  double lr = 0.01;
  double lr_decay = 0;
  double initial = 0;
  double epsilon = 1e-10;
  double weight_decay = 0;

  void Fields(auto&& field) {
    field("lr", lr, "Learning rate.", {.min = 0, .max = 1000});
    field("lr_decay", lr_decay, "Divides lr by 1 + steps * lr_decay.", {.min = 0});
    field("initial", initial, "Start value of the sum of squares.", {.min = 0});
    field("epsilon", epsilon, "Added to the divisor.", {.min = 0});
    field("weight_decay", weight_decay, kDecayDoc, {.min = 0});
  }
  bool TakesSparseGradients() const { return weight_decay == 0; }
  friend bool operator==(const Adagrad&, const Adagrad&) = default;
};

std::unique_ptr<OptimizerModule> MakeOptimizerModule(const Adagrad& spec);

}  // namespace tidemill::models
