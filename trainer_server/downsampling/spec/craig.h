// Chooses samples whose gradients represent those of all others.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "trainer_server/downsampling/spec/gradient_coreset.h"
#include "trainer_server/downsampling/spec/method_spec.h"

namespace tidemill::trainer_server {

struct Craig : GradientCoreset {
  static constexpr std::string_view kType = "craig";
  static constexpr std::string_view kDoc =
      "Takes samples whose gradients represent the gradients of all others.";
  static constexpr std::string_view kRule =
      "greedily maximises this sum: over all samples, the maximum over the chosen ones of "
      "(greatest distance - distance of gradients)";
  static constexpr std::string_view kWeights =
      "the number of samples whose gradient is nearest to its own, scaled to a mean of 1";
  static constexpr std::string_view kCost =
      "one forward pass, with `of: last_layer` two; O(N part) time, part^2 numbers";
  static constexpr std::string_view kSource =
      "Mirzasoleiman et al., Coresets for Data-efficient Training (ICML 2020)";
  GreedySearch greedy = GreedySearch::kLazy;
  void Fields(auto&& field) {
    GradientCoreset::Fields(field);
    field("greedy", greedy, "How to find the maximum.");
  }
  friend bool operator==(const Craig&, const Craig&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const Craig& spec);

}  // namespace tidemill::trainer_server
