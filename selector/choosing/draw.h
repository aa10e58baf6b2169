// The settings shared by the policies that draw a stated number of samples.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

#include "config/config.h"
#include "selector/choosing/policy.h"
#include "selector/client/candidate_pool.h"

namespace tidemill::selector {

// The weight of a sample in the loss.
enum class Weighting { kNone, kInverseProbability };

// How many samples to choose, and from which trigger on.
struct Draw : CandidatePool {
  std::optional<double> fraction = std::nullopt;
  std::optional<int64_t> samples = std::nullopt;
  int64_t warmup_triggers = 0;

  void Fields(auto&& field) {
    field("fraction", fraction,
          "Share of the candidates to choose. It is rounded to the nearest number of samples, at "
          "least 1.",
          {.min = 0, .max = 1, .example = "0.25"});
    field("samples", samples,
          "Number of samples to choose. If there are fewer candidates, all are chosen.",
          {.min = 1, .example = "10_000"});
    CandidatePool::Fields(field);
    field("warmup_triggers", warmup_triggers,
          "This many triggers at the beginning train on all their candidates.", {.min = 0});
  }
  void Check(config::Problems& problems) const {
    CandidatePool::Check(problems);
    if (fraction.has_value() == samples.has_value()) {
      problems.Add("", "needs exactly one of `fraction` and `samples`", "write fraction: 0.25");
    } else if (fraction && *fraction <= 0) {
      problems.Add("fraction", "draws nothing", "write a number in (0, 1]");
    }
  }

  CandidatePool TakesFrom() const { return *this; }
  // Returns how many of `available` candidates are chosen.
  int64_t Target(int64_t available) const {
    if (available == 0) return 0;
    if (samples) return std::min(*samples, available);
    const int64_t share = std::llround(*fraction * static_cast<double>(available));
    return std::clamp(share, int64_t{1}, available);
  }
};

// The members that every policy that draws has.
template <std::derived_from<Draw> Spec>
class DrawnSelection : public SelectionBase<Spec> {
 protected:
  int64_t WarmupTriggers() const override { return this->spec_.warmup_triggers; }
};

template <std::derived_from<Draw> Spec>
class SelectionOf<Spec> final : public DrawnSelection<Spec> {};

}  // namespace tidemill::selector

template <>
struct tidemill::config::EnumNames<tidemill::selector::Weighting> {
  static constexpr std::pair<tidemill::selector::Weighting, std::string_view> kNames[] = {
      {tidemill::selector::Weighting::kNone, "none"},
      {tidemill::selector::Weighting::kInverseProbability, "inverse_probability"}};
};
