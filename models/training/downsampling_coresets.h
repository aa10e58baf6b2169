// The methods of `training.downsampling` that look at the gradients of many samples at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "config/config.h"
#include "models/training/downsampling_kept.h"

namespace tidemill::models {

// How a maximiser of a set function goes about it.
enum class GreedySearch { kLazy, kNaive, kStochastic };

// Of methods that look at gradients all at once.
struct GradientCoreset : Kept {
  int64_t period = 1;
  bool balance = true;
  GradientOf of = GradientOf::kOutputs;
  int64_t part = 4096;

  void Fields(auto&& field) {
    Kept::Fields(field);
    field("period", period, "Epochs after which the choice is made anew; 0: once a training.",
          {.min = 0});
    field("balance", balance, "Choose from each class by itself, the same share of each.");
    field("of", of, "Which gradients.");
    field("part", part,
          "Samples that are compared with one another: more are cut into random parts of this size "
          "first.",
          {.min = 16, .max = 20'000});
  }
  friend bool operator==(const GradientCoreset&, const GradientCoreset&) = default;
};

struct Craig : GradientCoreset {
  static constexpr std::string_view kType = "craig";
  static constexpr std::string_view kDoc =
      "Takes samples whose gradients stand for those of all others.";
  static constexpr std::string_view kRule =
      "greedily maximises the sum over all samples of max over the chosen of (greatest distance - "
      "distance of gradients)";
  static constexpr std::string_view kWeights =
      "the samples whose gradient is nearest to its own, scaled to a mean of 1";
  static constexpr std::string_view kCost =
      "one forward pass, with `of: last_layer` two; O(N part) time, part^2 numbers";
  static constexpr std::string_view kSource =
      "Mirzasoleiman et al., Coresets for Data-efficient Training (ICML 2020)";
  GreedySearch greedy = GreedySearch::kLazy;
  void Fields(auto&& field) {
    GradientCoreset::Fields(field);
    field("greedy", greedy, "How the maximum is sought.");
  }
  friend bool operator==(const Craig&, const Craig&) = default;
};

struct GradMatch : GradientCoreset {
  static constexpr std::string_view kType = "grad_match";
  static constexpr std::string_view kDoc =
      "Takes samples whose weighted gradients add up to that of all.";
  static constexpr std::string_view kRule =
      "orthogonal matching pursuit for the mean gradient, then least squares with weights >= 0 and "
      "the ridge `ridge`; samples drawn uniformly fill the share up where fewer get a weight";
  static constexpr std::string_view kWeights = "those of the fit, scaled to a mean of 1";
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

// Set functions over gradients.
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
    field("function", function, "What is maximised.");
    field("greedy", greedy, "How the maximum is sought.");
    field("cut", cut, "Of graph_cut: how much similarity among the chosen counts against them.",
          {.min = 0, .max = 1});
  }
  friend bool operator==(const SubmodularGradients&, const SubmodularGradients&) = default;
};

}  // namespace tidemill::models

namespace tidemill::config {

template <>
struct EnumNames<models::GreedySearch> {
  static constexpr std::pair<models::GreedySearch, std::string_view> kNames[] = {
      {models::GreedySearch::kLazy, "lazy"},
      {models::GreedySearch::kNaive, "naive"},
      {models::GreedySearch::kStochastic, "stochastic"}};
};
template <>
struct EnumNames<models::SetFunction> {
  static constexpr std::pair<models::SetFunction, std::string_view> kNames[] = {
      {models::SetFunction::kFacilityLocation, "facility_location"},
      {models::SetFunction::kGraphCut, "graph_cut"},
      {models::SetFunction::kLogDeterminant, "log_determinant"}};
};

}  // namespace tidemill::config
