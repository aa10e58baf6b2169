// Chooses samples so that every candidate is close to one of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "config/config.h"
#include "selector/choosing/draw.h"
#include "selector/choosing/policy.h"

namespace tidemill::selector {

struct KCenter : Draw {
  static constexpr std::string_view kType = "k_center";
  static constexpr std::string_view kDoc =
      "Trains on samples chosen so that no candidate is far from all of them.";
  static constexpr std::string_view kRule =
      "first the candidate nearest to the mean, then again and again the candidate farthest from "
      "the chosen ones (Euclidean distance of embeddings)";
  static constexpr std::string_view kWeights =
      "1 each; with `weights: inverse_probability`, in proportion to the number of candidates "
      "nearest to the sample";
  static constexpr std::string_view kCost =
      "O(N k d) time; the radius is at most twice the best possible, four times with `partitions`. "
      "Embeddings that need more than half of the memory budget are divided into parts that fit; a "
      "remark says so";
  static constexpr std::string_view kSource =
      "Gonzalez (1985); Sener and Savarese, Active learning for CNNs: a core-set approach (ICLR "
      "2018)";
  Weighting weights = Weighting::kNone;
  int64_t partitions = 1;

  void Fields(auto&& field) {
    Draw::Fields(field);
    field("weights", weights, "The weight of a sample in the loss.");
    field("partitions", partitions,
          "Choose from this many random parts separately, then from the samples chosen there.",
          {.min = 1, .max = 65'536});
  }

  LooksAt WhatItLooksAt() const { return LooksAt::kModel; }
  Recalls WhatItRecalls() const { return Recalls::kNothing; }
};

std::unique_ptr<Chooser> MakeChooser(const KCenter& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

}  // namespace tidemill::selector
