// Chooses the candidates that are not near duplicates of another one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "config/config.h"
#include "selector/choosing/policy.h"

namespace tidemill::selector {

// Which sample of a group of near duplicates stays.
enum class KeepOf { kHard, kEasy, kFirst };

struct Deduplicated {
  static constexpr std::string_view kType = "deduplicated";
  static constexpr std::string_view kDoc =
      "Trains on the candidates, except those that are nearly the same as another candidate.";
  static constexpr std::string_view kRule =
      "k-means on embeddings of length 1; within a cluster, in the order of `keep`, a sample is "
      "left out when its cosine with an earlier one, kept or not, is above 1 - `epsilon`";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost =
      "d times (20 N clusters + the sum of squares of the clusters' sizes) time; a second copy of "
      "the embeddings, in a file if it exceeds half of the memory budget";
  static constexpr std::string_view kSource =
      "Abbas et al., SemDeDup: Data-efficient learning at web-scale through semantic deduplication "
      "(2023)";
  CandidatePool pool;
  double epsilon = 0.05;
  std::optional<int64_t> clusters = std::nullopt;
  KeepOf keep = KeepOf::kHard;
  int64_t warmup_triggers = 0;

  void Fields(auto&& field) {
    pool.Fields(field);
    field("epsilon", epsilon,
          "Two samples are alike when their cosine is above 1 minus this. 0: no samples are alike.",
          {.min = 0, .max = 1});
    field("clusters", clusters,
          "Number of clusters. By default the square root of the number of candidates.",
          {.min = 1, .max = 1e6});
    field("keep", keep,
          "Which of several alike samples stays: hard, the one farthest from the cluster's centre; "
          "easy, the nearest one; first, the first one in the stream.");
    field("warmup_triggers", warmup_triggers,
          "This many triggers at the beginning train on all their candidates.", {.min = 0});
  }
  void Check(config::Problems& problems) const { pool.Check(problems); }

  CandidatePool TakesFrom() const { return pool; }
  int64_t Target(int64_t available) const { return available; }
  LooksAt WhatItLooksAt() const { return LooksAt::kModel; }
  Recalls WhatItRecalls() const { return Recalls::kNothing; }
};

std::unique_ptr<Chooser> MakeChooser(const Deduplicated& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

template <>
class SelectionOf<Deduplicated> final : public SelectionBase<Deduplicated> {
 protected:
  int64_t WarmupTriggers() const override { return spec_.warmup_triggers; }
};

}  // namespace tidemill::selector

template <>
struct tidemill::config::EnumNames<tidemill::selector::KeepOf> {
  static constexpr std::pair<tidemill::selector::KeepOf, std::string_view> kNames[] = {
      {tidemill::selector::KeepOf::kHard, "hard"},
      {tidemill::selector::KeepOf::kEasy, "easy"},
      {tidemill::selector::KeepOf::kFirst, "first"}};
};
