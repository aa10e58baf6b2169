// Chooses samples whose weighted gradients add up to the gradient of all samples.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "trainer_server/downsampling/spec/gradient_coreset.h"
#include "trainer_server/downsampling/spec/method_spec.h"

namespace tidemill::trainer_server {

struct GradMatch : GradientCoreset {
  static constexpr std::string_view kType = "grad_match";
  static constexpr std::string_view kDoc =
      "Takes samples whose weighted gradients add up to the gradient of all samples.";
  static constexpr std::string_view kRule =
      "orthogonal matching pursuit for the mean gradient, then least squares with weights >= 0 and "
      "the ridge `ridge`; if too few samples get a weight, samples drawn uniformly fill the share";
  static constexpr std::string_view kWeights = "the weights of the fit, scaled to a mean of 1";
  static constexpr std::string_view kCost =
      "one forward pass, with `of: last_layer` two; O(N k) after one product of matrices";
  static constexpr std::string_view kSource =
      "Killamsetty et al., GRAD-MATCH (ICML 2021); Lawson and Hanson, Solving Least Squares "
      "Problems (1974)";
  double ridge = 0.5;
  void Fields(auto&& field) {
    GradientCoreset::Fields(field);
    field("ridge", ridge, "Penalty on the squares of the weights.", {.min = 0});
  }
  friend bool operator==(const GradMatch&, const GradMatch&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const GradMatch& spec);

}  // namespace tidemill::trainer_server
