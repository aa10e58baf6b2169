// Where policies that may say no are evaluated, and who decides before they can.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "base/time.h"
#include "config/config.h"
#include "supervisor/triggers/amount_trigger.h"
#include "supervisor/triggers/time_trigger.h"

namespace tidemill::supervisor {

// Where a policy that may say no is evaluated.
struct DecisionInterval {
  std::optional<Duration> every = std::nullopt;
  std::optional<int64_t> samples = std::nullopt;

  void Fields(auto&& field) {
    field("every", every,
          "At the end of each period of event time of this length, counted from the first sample.",
          {.min = 1e-6, .example = "1h"});
    field("samples", samples, "After every given number of samples.", {.min = 1, .example = "500"});
  }
  void Check(config::Problems& problems) const;
};

// Policies that need no evidence, so that there is no warm-up of a warm-up.
using SimpleTrigger = std::variant<AmountTrigger, TimeTrigger>;

// A policy that judges scores by those before has none at first.
struct WarmUp {
  int64_t evaluations = 10;
  SimpleTrigger trigger;

  void Fields(auto&& field) {
    field("evaluations", evaluations,
          "This many evaluations at the beginning of the run only fill the history of scores.",
          {.min = 1, .max = 1e6});
    field("trigger", trigger, "The policy that decides in the meantime, at its own points.",
          {.required = true});
  }
};

}  // namespace tidemill::supervisor
