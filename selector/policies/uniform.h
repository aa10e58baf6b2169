// Draws samples uniformly, without replacement.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "config/config.h"
#include "selector/choosing/draw.h"
#include "selector/choosing/policy.h"

namespace tidemill::selector {

struct Uniform : Draw {
  static constexpr std::string_view kType = "uniform";
  static constexpr std::string_view kDoc =
      "Trains on a given number of samples, drawn uniformly. No sample is drawn twice.";
  static constexpr std::string_view kRule =
      "the k candidates with the smallest hashes of (seed, trigger, key); with `reuse: false`, no "
      "sample is chosen a second time before every candidate was chosen once, and a new round "
      "gives what is still missing";
  static constexpr std::string_view kWeights = "1 each: all candidates are equally likely";
  static constexpr std::string_view kCost =
      "one pass, O(k) memory; without reuse, a bitmap of the keys chosen in the current round";
  static constexpr std::string_view kSource = "bottom-k sampling, Cohen and Kaplan (PODC 2007)";
  bool reuse = true;

  void Fields(auto&& field) {
    Draw::Fields(field);
    field(
        "reuse", reuse,
        "Whether a later trigger may choose a sample again while other samples were never chosen.");
  }

  LooksAt WhatItLooksAt() const { return LooksAt::kNothing; }
  Recalls WhatItRecalls() const { return reuse ? Recalls::kNothing : Recalls::kRound; }
};

std::unique_ptr<Chooser> MakeChooser(const Uniform& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

}  // namespace tidemill::selector
