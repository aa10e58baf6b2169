// Chooses every sample so far.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "config/config.h"
#include "selector/choosing/policy.h"
#include "selector/policies/limit.h"

namespace tidemill::selector {

struct AllData {
  static constexpr std::string_view kType = "all_data";
  static constexpr std::string_view kDoc = "Trains on all samples so far.";
  static constexpr std::string_view kRule =
      "every sample of the stream up to the trigger; with a `limit`, the latest samples or a "
      "uniform draw";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost = "one pass over the whole history at every trigger";
  static constexpr std::string_view kSource = "";
  std::optional<int64_t> limit = std::nullopt;
  LimitBy limit_by = LimitBy::kLatest;
  std::optional<std::string> where = std::nullopt;

  void Fields(auto&& field) {
    field("limit", limit, "Keep only this many of the samples.", {.min = 1});
    field("limit_by", limit_by,
          "Which samples to keep: the latest in the stream, or a uniform draw.");
    field("where", where, kWhereDoc, kWhereLimits);
  }
  void Check(config::Problems& problems) const { CheckWhere(where, problems); }

  CandidatePool TakesFrom() const { return {.over = Pool::kAll, .where = where}; }
  int64_t Target(int64_t available) const { return AtMost(limit, available); }
  LooksAt WhatItLooksAt() const { return LooksAt::kNothing; }
  Recalls WhatItRecalls() const { return Recalls::kNothing; }
};

std::unique_ptr<Chooser> MakeChooser(const AllData& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

template <>
class SelectionOf<AllData> final : public SelectionBase<AllData> {
 public:
  // The lots of a draw depend on the number of the trigger.
  bool DependsOnCutAlone() const override {
    return !spec_.limit || spec_.limit_by == LimitBy::kLatest;
  }
};

}  // namespace tidemill::selector
