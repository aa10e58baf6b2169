// Stochastic gradient descent.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "models/training/optimizers/optimizer_spec.h"

namespace tidemill::models {

struct Sgd {
  static constexpr std::string_view kType = "sgd";
  static constexpr std::string_view kDoc = "Stochastic gradient descent.";
  double lr = 0.01;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;

  void Fields(auto&& field) {
    field("lr", lr, "Learning rate.", {.min = 0, .max = 1000, .required = true, .example = "0.01"});
    field("momentum", momentum, "Share of the last step that the next step keeps.",
          {.min = 0, .max = 0.9999});
    field("nesterov", nesterov, "Look ahead along the momentum (Sutskever et al., 2013).");
    field("weight_decay", weight_decay, kDecayDoc, {.min = 0});
  }
  void Check(config::Problems& problems) const {
    if (nesterov && momentum == 0) {
      problems.Add("nesterov", "needs a momentum", "write momentum: 0.9");
    }
  }
  bool TakesSparseGradients() const { return momentum == 0 && weight_decay == 0; }
  friend bool operator==(const Sgd&, const Sgd&) = default;
};

std::unique_ptr<OptimizerModule> MakeOptimizerModule(const Sgd& spec);

}  // namespace tidemill::models
