// Chooses the samples in the middle of clusters.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "config/config.h"
#include "selector/choosing/draw.h"
#include "selector/choosing/policy.h"

namespace tidemill::selector {

struct KMedoids : Draw {
  static constexpr std::string_view kType = "k_medoids";
  static constexpr std::string_view kDoc =
      "Trains on the middles of clusters, which are a summary of the candidates.";
  static constexpr std::string_view kRule =
      "k-means on embeddings, then the candidate nearest to the centre of each cluster; a cluster "
      "that loses its last candidate starts again with the candidate farthest from its own centre";
  static constexpr std::string_view kWeights =
      "1 each; with `weights: inverse_probability`, in proportion to the size of the cluster";
  static constexpr std::string_view kCost =
      "O(N k d iterations) time, O(N + k d) memory besides the embeddings";
  static constexpr std::string_view kSource = "Lloyd (1982); Kaufman and Rousseeuw (1987)";
  int64_t iterations = 20;
  Weighting weights = Weighting::kNone;

  void Fields(auto&& field) {
    Draw::Fields(field);
    field("iterations", iterations, "Rounds of k-means.", {.min = 1, .max = 1000});
    field("weights", weights, "The weight of a sample in the loss.");
  }

  LooksAt WhatItLooksAt() const { return LooksAt::kModel; }
  Recalls WhatItRecalls() const { return Recalls::kNothing; }
};

std::unique_ptr<Chooser> MakeChooser(const KMedoids& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

}  // namespace tidemill::selector
