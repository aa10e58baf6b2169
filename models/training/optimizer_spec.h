// How weights follow gradients: optimisers, and which parameters each has.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"

namespace tidemill::models {

inline constexpr std::string_view kDecayDoc = "L2 penalty on the weights.";

struct Sgd {
  static constexpr std::string_view kType = "sgd";
  static constexpr std::string_view kDoc = "Stochastic gradient descent.";
  double lr = 0.01;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;

  void Fields(auto&& field) {
    field("lr", lr, "Learning rate.", {.min = 0, .max = 1000, .required = true, .example = "0.01"});
    field("momentum", momentum, "Share of the last step that is kept in the next.",
          {.min = 0, .max = 0.9999});
    field("nesterov", nesterov, "Look ahead along the momentum (Sutskever et al., 2013).");
    field("weight_decay", weight_decay, kDecayDoc, {.min = 0});
  }
  void Check(config::Problems& problems) const {
    if (nesterov && momentum == 0) {
      problems.Add("nesterov", "needs a momentum", "write momentum: 0.9");
    }
  }
  friend bool operator==(const Sgd&, const Sgd&) = default;
};

struct Adam {
  static constexpr std::string_view kType = "adam";
  static constexpr std::string_view kDoc = "Adam (Kingma and Ba, 2015).";
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;

  void Fields(auto&& field) {
    field("lr", lr, "Learning rate.", {.min = 0, .max = 1000});
    field("beta1", beta1, "Decay of the mean of the gradients.", {.min = 0, .max = 0.9999});
    field("beta2", beta2, "Decay of the mean of their squares.", {.min = 0, .max = 0.999999});
    field("epsilon", epsilon, "Added to the divisor.", {.min = 0});
    field("weight_decay", weight_decay, kDecayDoc, {.min = 0});
  }
  friend bool operator==(const Adam&, const Adam&) = default;
};

struct AdamW {
  static constexpr std::string_view kType = "adamw";
  static constexpr std::string_view kDoc =
      "Adam whose decay acts on the weights themselves (Loshchilov and Hutter, 2019).";
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
    field("weight_decay", weight_decay, "Share of each weight, times lr, that a step takes away.",
          {.min = 0});
  }
  friend bool operator==(const AdamW&, const AdamW&) = default;
};

struct Adagrad {
  static constexpr std::string_view kType = "adagrad";
  static constexpr std::string_view kDoc =
      "Adagrad (Duchi et al., 2011): steps shrink with the gradients seen; good for embeddings, "
      "and takes sparse gradients.";
  double lr = 0.01;
  double lr_decay = 0;
  double initial = 0;
  double epsilon = 1e-10;
  double weight_decay = 0;

  void Fields(auto&& field) {
    field("lr", lr, "Learning rate.", {.min = 0, .max = 1000});
    field("lr_decay", lr_decay, "Divides lr by 1 + steps * lr_decay.", {.min = 0});
    field("initial", initial, "Where the sum of squares begins.", {.min = 0});
    field("epsilon", epsilon, "Added to the divisor.", {.min = 0});
    field("weight_decay", weight_decay, kDecayDoc, {.min = 0});
  }
  friend bool operator==(const Adagrad&, const Adagrad&) = default;
};

// A new optimiser is one struct here, one line in optimizer.cc, and its state in Save() and Load().
using OptimizerSpec = std::variant<Sgd, Adam, AdamW, Adagrad>;

// The optimiser of some parameters.
struct ModuleOptimizer {
  std::string modules = "*";
  OptimizerSpec optimizer = Adam{};

  void Fields(auto&& field) {
    field("modules", modules,
          "Which parameters: a pattern with * and ? over their names, such as `embedding*`.",
          {.min = 1, .required = true, .example = "\"embedding*\""});
    field("optimizer", optimizer, "Their optimiser.", {.required = true});
  }
  friend bool operator==(const ModuleOptimizer&, const ModuleOptimizer&) = default;
};

// Whether it can take sparse gradients.
inline bool TakesSparseGradients(const OptimizerSpec& spec) {
  if (const auto* sgd = std::get_if<Sgd>(&spec)) {
    return sgd->momentum == 0 && sgd->weight_decay == 0;
  }
  const auto* const adagrad = std::get_if<Adagrad>(&spec);
  return adagrad != nullptr && adagrad->weight_decay == 0;
}

}  // namespace tidemill::models
