// Selection policies that look at what is known of a sample without a model: when it came, its
// label, a number in its record, whether it was chosen before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"
#include "config/config.h"
#include "selector/client/draw_spec.h"

namespace tidemill::selector {

// Which samples a limit keeps.
enum class LimitBy { kLatest, kUniform };

// The samples since the trigger before, and perhaps those of some triggers before that.
struct NewData {
  static constexpr std::string_view kType = "new_data";
  static constexpr std::string_view kDoc = "Trains on all samples since the trigger before.";
  static constexpr std::string_view kRule =
      "every sample of this trigger and of the `tail` before it; with a `limit`, the latest in the "
      "stream or a uniform draw over all of them at once";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost = "one pass; memory for `limit` keys";
  int64_t tail = 0;
  std::optional<int64_t> limit = std::nullopt;
  LimitBy limit_by = LimitBy::kLatest;

  void Fields(auto&& field) {
    field("tail", tail, "Train also on the samples of so many triggers before.",
          {.min = 0, .max = 1e6});
    field("limit", limit, "Keep only this many of them.", {.min = 1});
    field("limit_by", limit_by, "Which: the latest in the stream, or a uniform draw.");
  }
};

// Everything so far.
struct AllData {
  static constexpr std::string_view kType = "all_data";
  static constexpr std::string_view kDoc = "Trains on all samples so far.";
  static constexpr std::string_view kRule =
      "every sample of the stream up to the trigger; with a `limit`, the latest or a uniform draw";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost = "one pass over the whole history at every trigger";
  std::optional<int64_t> limit = std::nullopt;
  LimitBy limit_by = LimitBy::kLatest;

  void Fields(auto&& field) {
    field("limit", limit, "Keep only this many of them.", {.min = 1});
    field("limit_by", limit_by, "Which: the latest in the stream, or a uniform draw.");
  }
};

// A uniform draw without replacement.
struct Uniform : Draw {
  static constexpr std::string_view kType = "uniform";
  static constexpr std::string_view kDoc =
      "Trains on samples drawn uniformly, each at most once, as many as stated.";
  static constexpr std::string_view kRule =
      "the k candidates with the smallest hashes of (seed, trigger, key); with `reuse: false`, no "
      "sample a second time before every candidate was chosen once: what is short is drawn from a "
      "new round";
  static constexpr std::string_view kWeights = "1 each: every candidate is as likely";
  static constexpr std::string_view kCost =
      "one pass, O(k) memory; without reuse a bitmap of the keys chosen in the present round";
  static constexpr std::string_view kSource = "bottom-k sampling, Cohen and Kaplan (PODC 2007)";
  bool reuse = true;

  void Fields(auto&& field) {
    Draw::Fields(field);
    field("reuse", reuse,
          "Whether a sample may be chosen again by a later trigger while others never were.");
  }
};

// What the groups of a balanced draw are.
enum class BalanceBy { kLabel, kTrigger };
// How groups that are too small are made up for.
enum class BalanceForce { kNone, kSize, kBalance };

struct Balanced : Draw {
  static constexpr std::string_view kType = "balanced";
  static constexpr std::string_view kDoc =
      "Trains on as many samples of each class, or of each trigger, as far as there are.";
  static constexpr std::string_view kRule =
      "each group gives min(F, its size) samples, drawn uniformly, F being the greatest whole "
      "number for which the sum is at most the target; where that is 0, some groups give one each";
  static constexpr std::string_view kWeights =
      "1 each, or with `weights: inverse_probability` size / drawn of the group, scaled to a mean "
      "of "
      "1 over the candidates' draw, which undoes the balance in the loss but not in the variance";
  static constexpr std::string_view kCost = "two passes; O(k) memory and a counter a group";
  BalanceBy by = BalanceBy::kLabel;
  BalanceForce force = BalanceForce::kNone;
  Weighting weights = Weighting::kNone;

  void Fields(auto&& field) {
    Draw::Fields(field);
    field("by", by,
          "What is balanced: the label's class (samples without one are a group, too), or the "
          "trigger in whose new data it lies, which needs `over: all` or `tail`.");
    field("force", force,
          "size: one more of some of the larger groups until the target is met exactly; balance: "
          "exactly as many of each group, as many as the smallest has.");
    field("weights", weights, "`inverse_probability` weighs each sample by 1 / its probability.");
  }
  void Check(config::Problems& problems) const {
    Draw::Check(problems);
    if (by == BalanceBy::kTrigger && over == Pool::kNew && tail.value_or(0) == 0) {
      problems.Add("by", "is trigger, but the candidates are those of one trigger",
                   "add over: all");
    }
  }
};

struct Freshness {
  static constexpr std::string_view kType = "freshness";
  static constexpr std::string_view kDoc =
      "Trains on a mix of samples that were never chosen and samples that were.";
  static constexpr std::string_view kRule =
      "the share `fresh` of the set is drawn uniformly from the candidates that no earlier "
      "training "
      "set of the run holds, the rest from those that one does; the set is as large as both shares "
      "allow, and at most `samples`; while nothing was chosen before, or nothing is fresh, all "
      "comes "
      "from what there is";
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
};

struct Reservoir {
  static constexpr std::string_view kType = "reservoir";
  static constexpr std::string_view kDoc =
      "Trains on a fixed number of samples that stand for the whole stream so far, of which few "
      "change from trigger to trigger.";
  static constexpr std::string_view kRule =
      "the `samples` candidates with the smallest hashes of (seed, key), so that each sample so "
      "far "
      "is as likely and what was chosen stays unless a newcomer has a smaller hash; with a "
      "`half_life`, those with the smallest -log(U) / 2^((t - now) / half_life)";
  static constexpr std::string_view kWeights = "1 each";
  static constexpr std::string_view kCost = "one pass over the history, O(samples) memory";
  static constexpr std::string_view kSource =
      "Vitter, Random Sampling with a Reservoir (1985), by hashes; Cormode et al., Forward Decay "
      "(ICDE 2009); Efraimidis and Spirakis, Weighted random sampling with a reservoir (2006)";
  int64_t samples = 0;
  std::optional<Duration> half_life = std::nullopt;

  void Fields(auto&& field) {
    field("samples", samples, "Samples in the reservoir.",
          {.min = 1, .required = true, .example = "10_000"});
    field("half_life", half_life,
          "A sample so much older is half as likely to be there; without it all are as likely.",
          {.example = "30d"});
  }
  void Check(config::Problems& problems) const {
    if (half_life && half_life->micros <= 0) {
      problems.Add("half_life", "must be positive", "write a duration such as 30d");
    }
  }
};

// How a draw with unequal probabilities is made.
enum class Sampling { kPriority, kPoisson, kSystematic };

struct Importance : Draw {
  static constexpr std::string_view kType = "importance";
  static constexpr std::string_view kDoc =
      "Trains on samples drawn in proportion to a number in their records, weighted so that the "
      "loss "
      "stays that of all candidates.";
  static constexpr std::string_view kRule =
      "priority: the k greatest s / U, U uniform in (0, 1] by (seed, trigger, key); poisson: each "
      "sample by itself with probability min(1, c s), c such that k are expected; systematic: "
      "exactly k with those probabilities. A score that is negative, infinite or no number leaves "
      "the sample out; when all are zero, they are drawn uniformly";
  static constexpr std::string_view kWeights =
      "k / (N p), p being the probability of the sample, or for priority k max(s, tau) / (s N), "
      "tau "
      "the (k + 1)-th greatest s / U: unbiased for the mean over the N candidates";
  static constexpr std::string_view kCost =
      "reads the records of all candidates; O(k) memory by priority, O(N) scores otherwise";
  static constexpr std::string_view kSource =
      "Duffield, Lund and Thorup, Priority sampling (JACM 2007); Madow, On the theory of "
      "systematic "
      "sampling (1949)";
  std::string column;
  Sampling sampling = Sampling::kPriority;
  double smoothing = 0;

  void Fields(auto&& field) {
    Draw::Fields(field);
    field("column", column, "The number in each record, as `parse_csv` and its kin name it.",
          {.required = true, .example = "confidence"});
    field("sampling", sampling, "How the draw is made.");
    field("smoothing", smoothing,
          "Adds so many times the mean to each number: no weight is then above (1 + x) / x.",
          {.min = 0});
  }
  void Check(config::Problems& problems) const {
    Draw::Check(problems);
    if (column.empty()) problems.Add("column", "is empty", "name a column of the dataset");
  }
};

}  // namespace tidemill::selector

template <>
struct tidemill::config::EnumNames<tidemill::selector::LimitBy> {
  static constexpr std::pair<tidemill::selector::LimitBy, std::string_view> kNames[] = {
      {tidemill::selector::LimitBy::kLatest, "latest"},
      {tidemill::selector::LimitBy::kUniform, "uniform"}};
};
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
template <>
struct tidemill::config::EnumNames<tidemill::selector::Sampling> {
  static constexpr std::pair<tidemill::selector::Sampling, std::string_view> kNames[] = {
      {tidemill::selector::Sampling::kPriority, "priority"},
      {tidemill::selector::Sampling::kPoisson, "poisson"},
      {tidemill::selector::Sampling::kSystematic, "systematic"}};
};
