// Chooses the samples since the previous trigger and, on request, those of some triggers before it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "config/config.h"
#include "selector/choosing/policy.h"
#include "selector/policies/limit.h"

namespace tidemill::selector {

struct NewData {
  static constexpr std::string_view kType = "new_data";
  static constexpr std::string_view kDoc = "Trains on all samples since the previous trigger.";
  static constexpr std::string_view kRule =
      "every sample of this trigger and of the `tail` triggers before it; with a `limit`, the "
      "latest in the stream or one uniform draw from all of them";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost = "one pass; memory for `limit` keys";
  static constexpr std::string_view kSource = "";
  int64_t tail = 0;
  std::optional<int64_t> limit = std::nullopt;
  LimitBy limit_by = LimitBy::kLatest;
  std::optional<std::string> where = std::nullopt;

  void Fields(auto&& field) {
    field("tail", tail, "Train also on the samples of this many earlier triggers.",
          {.min = 0, .max = 1e6});
    field("limit", limit, "Keep only this many of the samples.", {.min = 1});
    field("limit_by", limit_by,
          "Which samples to keep: the latest in the stream, or a uniform draw.");
    field("where", where, kWhereDoc, kWhereLimits);
  }
  void Check(config::Problems& problems) const { CheckWhere(where, problems); }

  CandidatePool TakesFrom() const { return {.tail = tail, .where = where}; }
  int64_t Target(int64_t available) const { return AtMost(limit, available); }
  LooksAt WhatItLooksAt() const { return LooksAt::kNothing; }
  Recalls WhatItRecalls() const { return Recalls::kNothing; }
};

std::unique_ptr<Chooser> MakeChooser(const NewData& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

}  // namespace tidemill::selector
