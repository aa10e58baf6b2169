// Draws samples in proportion to a number in their records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "config/config.h"
#include "selector/choosing/draw.h"
#include "selector/choosing/policy.h"

namespace tidemill::selector {

// The methods to draw with unequal probabilities.
enum class Sampling { kPriority, kPoisson, kSystematic };

struct Importance : Draw {
  static constexpr std::string_view kType = "importance";
  static constexpr std::string_view kDoc =
      "Trains on samples that are drawn in proportion to a number in their records. Their weights "
      "keep the expected loss equal to the loss over all candidates.";
  static constexpr std::string_view kRule =
      "priority: the k greatest s / U, with U uniform in (0, 1] by (seed, trigger, key); poisson: "
      "each sample independently with probability min(1, c s), with c such that k are expected; "
      "systematic: exactly k with those probabilities. A sample is left out if its score is "
      "negative, infinite or not a number; if all scores are zero, samples are drawn uniformly";
  static constexpr std::string_view kWeights =
      "k / (N p), where p is the probability of the sample; for priority, k max(s, tau) / (s N), "
      "where tau is the (k + 1)-th greatest s / U: unbiased for the mean over the N candidates";
  static constexpr std::string_view kCost =
      "reads the records of all candidates; O(k) memory with priority, O(N) scores otherwise";
  static constexpr std::string_view kSource =
      "Duffield, Lund and Thorup, Priority sampling (JACM 2007); Madow, On the theory of "
      "systematic sampling (1949)";
  std::string column;
  Sampling sampling = Sampling::kPriority;
  double smoothing = 0;

  void Fields(auto&& field) {
    Draw::Fields(field);
    field("column", column,
          "The name of the number in each record, as for `parse_csv` and similar ops.",
          {.required = true, .example = "confidence"});
    field("sampling", sampling, "How samples are drawn.");
    field("smoothing", smoothing,
          "Adds x times the mean to each number. With systematic and poisson, no weight is then "
          "above "
          "(1 + x) / x. With priority, whose threshold depends on chance, some sets have a weight "
          "above it.",
          {.min = 0});
  }
  void Check(config::Problems& problems) const {
    Draw::Check(problems);
    if (column.empty()) problems.Add("column", "is empty", "name a column of the dataset");
  }

  LooksAt WhatItLooksAt() const { return LooksAt::kColumn; }
  Recalls WhatItRecalls() const { return Recalls::kNothing; }
};

std::unique_ptr<Chooser> MakeChooser(const Importance& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

template <>
class SelectionOf<Importance> final : public DrawnSelection<Importance> {
 public:
  void CheckSamples(const transform::DescribedSamples& described,
                    config::Problems& problems) const override {
    transform::CheckColumn(described, "column", spec_.column, problems);
  }
};

}  // namespace tidemill::selector

template <>
struct tidemill::config::EnumNames<tidemill::selector::Sampling> {
  static constexpr std::pair<tidemill::selector::Sampling, std::string_view> kNames[] = {
      {tidemill::selector::Sampling::kPriority, "priority"},
      {tidemill::selector::Sampling::kPoisson, "poisson"},
      {tidemill::selector::Sampling::kSystematic, "systematic"}};
};
