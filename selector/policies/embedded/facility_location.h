// Chooses samples that are similar to many candidates.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "config/config.h"
#include "selector/choosing/draw.h"
#include "selector/choosing/policy.h"

namespace tidemill::selector {

// The greedy algorithms for monotone submodular functions.
enum class Greedy { kLazy, kNaive, kStochastic };

struct FacilityLocation : Draw {
  static constexpr std::string_view kType = "facility_location";
  static constexpr std::string_view kDoc =
      "Trains on samples that are similar to many candidates. Each candidate counts by its nearest "
      "chosen sample.";
  static constexpr std::string_view kRule =
      "greedily, the candidate that increases this sum most: over all candidates, the maximum over "
      "the chosen samples of (greatest distance - distance)";
  static constexpr std::string_view kWeights =
      "1 each; with `weights: inverse_probability`, in proportion to the number of candidates "
      "nearest to the sample, including itself";
  static constexpr std::string_view kCost =
      "O(n^2 d) time and n^2 numbers for the n candidates of a part. If the numbers of all "
      "candidates do not fit into half of the memory budget, the candidates are divided into "
      "random parts that fit. Each part chooses, and the final choice is made among what the parts "
      "chose; each of those counts for the candidates that it stands for. If not even the samples "
      "to choose fit, each part chooses its share. A remark says so";
  static constexpr std::string_view kSource =
      "Mirzasoleiman et al., Coresets for data-efficient training (ICML 2020) and Distributed "
      "submodular maximization (NeurIPS 2013); Minoux (1978); Lazier than lazy greedy (AAAI 2015)";
  Greedy greedy = Greedy::kLazy;
  double epsilon = 0.1;
  Weighting weights = Weighting::kNone;

  void Fields(auto&& field) {
    Draw::Fields(field);
    field("greedy", greedy,
          "lazy and naive choose the same samples; lazy is faster. stochastic looks at n / k log(1 "
          "/ epsilon) random candidates in each step.");
    field("epsilon", epsilon, "The epsilon of `stochastic`.", {.min = 1e-6, .max = 0.999});
    field("weights", weights, "The weight of a sample in the loss.");
  }

  LooksAt WhatItLooksAt() const { return LooksAt::kModel; }
  Recalls WhatItRecalls() const { return Recalls::kNothing; }
};

std::unique_ptr<Chooser> MakeChooser(const FacilityLocation& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

}  // namespace tidemill::selector

template <>
struct tidemill::config::EnumNames<tidemill::selector::Greedy> {
  static constexpr std::pair<tidemill::selector::Greedy, std::string_view> kNames[] = {
      {tidemill::selector::Greedy::kLazy, "lazy"},
      {tidemill::selector::Greedy::kNaive, "naive"},
      {tidemill::selector::Greedy::kStochastic, "stochastic"}};
};
