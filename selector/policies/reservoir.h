// Keeps a fixed number of samples that represent the stream so far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "config/config.h"
#include "selector/choosing/policy.h"

namespace tidemill::selector {

struct Reservoir {
  static constexpr std::string_view kType = "reservoir";
  static constexpr std::string_view kDoc =
      "Trains on a fixed number of samples that stand for the whole stream so far. Few of them "
      "change from trigger to trigger.";
  static constexpr std::string_view kRule =
      "the `samples` candidates with the smallest hashes of (seed, key); so all samples so far are "
      "equally likely, and a chosen sample stays unless a new one has a smaller hash; with a "
      "`half_life`, those with the smallest -log(U) / 2^((t - now) / half_life)";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost = "one pass over the history, O(samples) memory";
  static constexpr std::string_view kSource =
      "Vitter, Random Sampling with a Reservoir (1985), by hashes; Cormode et al., Forward Decay "
      "(ICDE 2009); Efraimidis and Spirakis, Weighted random sampling with a reservoir (2006)";
  int64_t samples = 0;
  std::optional<Duration> half_life = std::nullopt;
  std::optional<std::string> where = std::nullopt;

  void Fields(auto&& field) {
    field("samples", samples, "Samples in the reservoir.",
          {.min = 1, .required = true, .example = "10_000"});
    field("half_life", half_life,
          "A sample that is older by this time is half as likely to be chosen. Without it all are "
          "equally likely.",
          {.example = "30d"});
    field("where", where, kWhereDoc, kWhereLimits);
  }
  void Check(config::Problems& problems) const {
    if (half_life && half_life->micros <= 0) {
      problems.Add("half_life", "must be positive", "write a duration such as 30d");
    }
    CheckWhere(where, problems);
  }

  CandidatePool TakesFrom() const { return {.over = Pool::kAll, .where = where}; }
  int64_t Target(int64_t available) const { return std::min(samples, available); }
  LooksAt WhatItLooksAt() const { return LooksAt::kNothing; }
  Recalls WhatItRecalls() const { return Recalls::kNothing; }
};

std::unique_ptr<Chooser> MakeChooser(const Reservoir& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

}  // namespace tidemill::selector
