// Retrains only when a user asks for it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/times/clock_time.h"
#include "config/config.h"
#include "supervisor/triggers/trigger.h"

namespace tidemill::supervisor {

struct ManualTrigger {
  static constexpr std::string_view kType = "manual";
  static constexpr std::string_view kDoc =
      "Fires when a user says so: at the times that are listed here, and, in a live run, at "
      "`tidemill trigger RUN`, which every policy obeys.";
  static constexpr std::string_view kRule = "the time is listed, and there are new samples";
  static constexpr std::string_view kPoints = "at the listed times";
  static constexpr std::string_view kCost = "none; two numbers of state";
  static constexpr std::string_view kSource = "";
  std::vector<ClockTime> at = {};

  void Fields(auto&& field) {
    field("at", at,
          "Event times at which to fire, ascending. A time is skipped if no new sample comes "
          "before it.",
          {.example = "[2020-01-01, 2020-03-15T12:00:00Z]"});
  }
  void Check(config::Problems& problems) const;
};

std::unique_ptr<TriggerPolicy> MakePolicy(const ManualTrigger& spec);
Verdict Judge(const ManualTrigger& spec, const Observed& observed);
std::string Explain(const ManualTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const ManualTrigger& spec);

}  // namespace tidemill::supervisor
