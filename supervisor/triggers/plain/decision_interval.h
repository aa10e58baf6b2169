// When a policy that may answer "no" is evaluated, and which policy decides during its warm-up.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "base/time.h"
#include "config/config.h"
#include "supervisor/triggers/plain/amount_trigger.h"
#include "supervisor/triggers/plain/time_trigger.h"

namespace tidemill::supervisor {

// When a policy that may answer "no" is evaluated: by time or by number of samples.
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

// The policies that need no evidence. Only they can decide during a warm-up, so that a warm-up does
// not contain another warm-up.
using SimpleTrigger = std::variant<AmountTrigger, TimeTrigger>;

// A policy that compares a score with earlier scores has none at first. During its warm-up, another
// policy decides.
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
