// What selection policies that draw have in common: from which samples, and how many.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "config/config.h"

namespace tidemill::selector {

// From where a policy takes samples.
enum class Pool { kNew, kAll };

// What weight a sample gets in the loss.
enum class Weighting { kNone, kInverseProbability };

// The candidates of a trigger.
struct CandidatePool {
  Pool over = Pool::kNew;
  std::optional<int64_t> tail = std::nullopt;

  void Fields(auto&& field) {
    field("over", over,
          "Which samples are candidates: those since the trigger before, or all so far.");
    field("tail", tail,
          "Instead: those of this trigger and of so many before it; 0 for this one alone.",
          {.min = 0, .max = 1e6, .example = "3"});
  }
  void Check(config::Problems& problems) const {
    if (tail && over == Pool::kAll) {
      problems.Add("tail", "and `over: all` contradict each other", "leave one out");
    }
  }
};

// How many of them to choose, and when to begin to.
struct Draw : CandidatePool {
  std::optional<double> fraction = std::nullopt;
  std::optional<int64_t> samples = std::nullopt;
  int64_t warmup_triggers = 0;

  void Fields(auto&& field) {
    field(
        "fraction", fraction,
        "Share of the candidates to choose, rounded to the nearest number of samples, at least 1.",
        {.min = 0, .max = 1, .example = "0.25"});
    field("samples", samples, "Number of samples to choose; all of them when there are fewer.",
          {.min = 1, .example = "10_000"});
    CandidatePool::Fields(field);
    field("warmup_triggers", warmup_triggers,
          "So many first triggers train on all their candidates.", {.min = 0});
  }
  void Check(config::Problems& problems) const {
    CandidatePool::Check(problems);
    if (fraction.has_value() == samples.has_value()) {
      problems.Add("", "needs exactly one of `fraction` and `samples`", "write fraction: 0.25");
    } else if (fraction && *fraction <= 0) {
      problems.Add("fraction", "draws nothing", "write a number in (0, 1]");
    }
  }

  // How many of `available` candidates are chosen.
  int64_t Target(int64_t available) const {
    if (available == 0) return 0;
    if (samples) return std::min(*samples, available);
    const int64_t share = std::llround(*fraction * static_cast<double>(available));
    return std::clamp(share, int64_t{1}, available);
  }
};

}  // namespace tidemill::selector

template <>
struct tidemill::config::EnumNames<tidemill::selector::Pool> {
  static constexpr std::pair<tidemill::selector::Pool, std::string_view> kNames[] = {
      {tidemill::selector::Pool::kNew, "new"}, {tidemill::selector::Pool::kAll, "all"}};
};
template <>
struct tidemill::config::EnumNames<tidemill::selector::Weighting> {
  static constexpr std::pair<tidemill::selector::Weighting, std::string_view> kNames[] = {
      {tidemill::selector::Weighting::kNone, "none"},
      {tidemill::selector::Weighting::kInverseProbability, "inverse_probability"}};
};
