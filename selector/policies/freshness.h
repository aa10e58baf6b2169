// Mixes fresh samples with samples that were chosen before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "config/config.h"
#include "selector/policies/limit.h"
#include "selector/policies/policy.h"

namespace tidemill::selector {

struct Freshness {
  static constexpr std::string_view kType = "freshness";
  static constexpr std::string_view kDoc =
      "Trains on a mix of samples that were never chosen and samples that were.";
  static constexpr std::string_view kRule =
      "the share `fresh` of the set is drawn uniformly from the candidates that no earlier "
      "training set of the run holds, the rest from those that one does; the set is as large as "
      "both shares allow, and at most `samples`; while nothing was chosen before, or nothing is "
      "fresh, all comes from what there is";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost = "two passes; a bitmap of the keys chosen so far";
  double fresh = 0.5;
  std::optional<int64_t> samples = std::nullopt;
  std::optional<int64_t> tail = std::nullopt;

  void Fields(auto&& field) {
    field("fresh", fresh, "Share of the set that was never chosen before.",
          {.min = 0.01, .max = 0.99});
    field("samples", samples, "Choose at most so many.", {.min = 1});
    field(
        "tail", tail,
        "Candidates are the samples of this trigger and of so many before it; all so far without.",
        {.min = 0, .max = 1e6});
  }

  CandidatePool TakesFrom() const {
    if (tail) return {.tail = tail};
    return {.over = Pool::kAll};
  }
  int64_t Target(int64_t available) const { return AtMost(samples, available); }
  LooksAt WhatItLooksAt() const { return LooksAt::kNothing; }
  Recalls WhatItRecalls() const { return Recalls::kSets; }
};

std::unique_ptr<Chooser> MakeChooser(const Freshness& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

struct Mix {
  int64_t num_fresh = 0;
  int64_t num_used = 0;
  friend bool operator==(const Mix&, const Mix&) = default;
};

// Returns the largest mix of at most `limit` samples of which the share `fresh`, in (0, 1), is
// fresh. When there are no samples of one kind, it takes all of the other kind, up to the limit.
Mix MixOf(int64_t num_fresh, int64_t num_used, double fresh, std::optional<int64_t> limit);

}  // namespace tidemill::selector
