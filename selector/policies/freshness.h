// Mixes fresh samples with samples that were chosen before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "config/config.h"
#include "selector/choosing/policy.h"
#include "selector/policies/limit.h"

namespace tidemill::selector {

struct Freshness {
  static constexpr std::string_view kType = "freshness";
  static constexpr std::string_view kDoc =
      "Trains on a mix of samples that were never chosen before and samples that were.";
  static constexpr std::string_view kRule =
      "the share `fresh` of the training set is drawn uniformly from the candidates that are in no "
      "earlier training set of the run, the rest from the other candidates; the training set is as "
      "large as both shares allow, and at most `samples`; if one of the two kinds has no "
      "candidates, all samples come from the other kind";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost = "two passes; a bitmap of the keys chosen so far";
  static constexpr std::string_view kSource = "";
  double fresh = 0.5;
  std::optional<int64_t> samples = std::nullopt;
  std::optional<int64_t> tail = std::nullopt;
  std::optional<std::string> where = std::nullopt;

  void Fields(auto&& field) {
    field("fresh", fresh, "Share of the training set that was never chosen before.",
          {.min = 0.01, .max = 0.99});
    field("samples", samples, "Choose at most this many samples.", {.min = 1});
    field("tail", tail,
          "The candidates are the samples of this trigger and of this many triggers before it. By "
          "default, all samples so far.",
          {.min = 0, .max = 1e6});
    field("where", where, kWhereDoc, kWhereLimits);
  }
  void Check(config::Problems& problems) const { CheckWhere(where, problems); }

  CandidatePool TakesFrom() const {
    if (tail) return {.tail = tail, .where = where};
    return {.over = Pool::kAll, .where = where};
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
