// Chooses samples whose gradients are many and different.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "config/config.h"
#include "trainer_server/downsampling/spec/gradient_coreset.h"
#include "trainer_server/downsampling/spec/method_spec.h"

namespace tidemill::trainer_server {

// The set functions over gradients.
enum class SetFunction { kFacilityLocation, kGraphCut, kLogDeterminant };

struct SubmodularGradients : GradientCoreset {
  static constexpr std::string_view kType = "submodular";
  static constexpr std::string_view kDoc =
      "Takes samples whose gradients are many and different, as a submodular function measures it.";
  static constexpr std::string_view kRule =
      "greedily maximises `function` on (1 + cosine) / 2 of gradients";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost =
      "one forward pass, with `of: last_layer` two; O(N part) time, part^2 numbers";
  static constexpr std::string_view kSource =
      "Iyer and Bilmes; Kaushal et al., Submodlib (2022); Minoux (1978)";
  SetFunction function = SetFunction::kFacilityLocation;
  GreedySearch greedy = GreedySearch::kLazy;
  double cut = 0.4;
  void Fields(auto&& field) {
    GradientCoreset::Fields(field);
    field("function", function, "The function to maximise.");
    field("greedy", greedy, "How to find the maximum.");
    field("cut", cut,
          "For graph_cut: how much similarity among the chosen samples counts against them.",
          {.min = 0, .max = 1});
  }
  friend bool operator==(const SubmodularGradients&, const SubmodularGradients&) = default;
};

std::unique_ptr<const JudgingMethod> MakeMethod(const SubmodularGradients& spec);

}  // namespace tidemill::trainer_server

template <>
struct tidemill::config::EnumNames<tidemill::trainer_server::SetFunction> {
  static constexpr std::pair<tidemill::trainer_server::SetFunction, std::string_view> kNames[] = {
      {tidemill::trainer_server::SetFunction::kFacilityLocation, "facility_location"},
      {tidemill::trainer_server::SetFunction::kGraphCut, "graph_cut"},
      {tidemill::trainer_server::SetFunction::kLogDeterminant, "log_determinant"}};
};
