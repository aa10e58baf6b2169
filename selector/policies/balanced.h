// Draws equally many samples of each class, or from each trigger.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "fmt/format.h"

#include "config/config.h"
#include "selector/choosing/draw.h"
#include "selector/choosing/policy.h"

namespace tidemill::selector {

// The grouping of a balanced draw.
enum class BalanceBy { kLabel, kTrigger };
// What to do when groups are too small.
enum class BalanceForce { kNone, kSize, kBalance };

struct Balanced : Draw {
  static constexpr std::string_view kType = "balanced";
  static constexpr std::string_view kDoc =
      "Trains on the same number of samples of each class, or of each trigger, as far as there are "
      "enough.";
  static constexpr std::string_view kRule =
      "each group gives min(F, its size) samples, drawn uniformly; F is the greatest whole number "
      "for which the sum is at most the target; if F is 0, some groups give one sample each";
  static constexpr std::string_view kWeights =
      "1 each; with `weights: inverse_probability`, size / drawn of the group, scaled to a mean of "
      "1 over the candidates' draw; this undoes the balance in the loss but not in the variance";
  static constexpr std::string_view kCost =
      "two passes; O(k) memory and one counter for each group";
  static constexpr std::string_view kSource = "";
  BalanceBy by = BalanceBy::kLabel;
  BalanceForce force = BalanceForce::kNone;
  Weighting weights = Weighting::kNone;

  void Fields(auto&& field) {
    Draw::Fields(field);
    field("by", by,
          "What is balanced: the class of the label (samples without a label are a group, too), or "
          "the trigger whose new data hold the sample. The latter needs `over: all` or `tail`.");
    field("force", force,
          "size: some of the larger groups give one sample more, so that the target is met "
          "exactly. balance: each group gives exactly as many samples as the smallest group has.");
    field("weights", weights,
          "`inverse_probability` gives each sample the weight 1 / its probability.");
  }
  void Check(config::Problems& problems) const {
    Draw::Check(problems);
    if (by == BalanceBy::kTrigger && over == Pool::kNew && tail.value_or(0) == 0) {
      problems.Add("by", "is trigger, but the candidates come from one trigger only",
                   "add over: all");
    }
  }

  LooksAt WhatItLooksAt() const { return LooksAt::kNothing; }
  Recalls WhatItRecalls() const { return Recalls::kNothing; }
};

std::unique_ptr<Chooser> MakeChooser(const Balanced& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

template <>
class SelectionOf<Balanced> final : public DrawnSelection<Balanced> {
 public:
  void CheckSamples(const transform::DescribedSamples& described,
                    config::Problems& problems) const override {
    if (spec_.by != BalanceBy::kLabel) return;
    if (described.schema.label == transform::LabelKind::kClass) return;
    problems.Add("",
                 fmt::format("balances classes, but the label of '{}' is {}", described.dataset,
                             transform::Describe(described.schema.label)),
                 "write by: trigger, or use another policy");
  }
};

}  // namespace tidemill::selector

template <>
struct tidemill::config::EnumNames<tidemill::selector::BalanceBy> {
  static constexpr std::pair<tidemill::selector::BalanceBy, std::string_view> kNames[] = {
      {tidemill::selector::BalanceBy::kLabel, "label"},
      {tidemill::selector::BalanceBy::kTrigger, "trigger"}};
};

template <>
struct tidemill::config::EnumNames<tidemill::selector::BalanceForce> {
  static constexpr std::pair<tidemill::selector::BalanceForce, std::string_view> kNames[] = {
      {tidemill::selector::BalanceForce::kNone, "none"},
      {tidemill::selector::BalanceForce::kSize, "size"},
      {tidemill::selector::BalanceForce::kBalance, "balance"}};
};
