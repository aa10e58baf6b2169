#include "supervisor/triggers/trigger_spec.h"

#include <algorithm>
#include <functional>

namespace tidemill::supervisor {
namespace {

// How many units of the calendar a period has.
absl::StatusOr<int64_t> UnitsOf(const TimeTrigger& spec) {
  return spec.every ? config::ParseCount(*spec.every) : absl::StatusOr<int64_t>(1);
}

}  // namespace

void TimeTrigger::Check(config::Problems& problems) const {
  if (!calendar) {
    if (!every) {
      problems.Add("", "has neither every nor calendar", "add every: 7d or calendar: month");
      return;
    }
    const auto length = ParseDuration(*every);
    if (!length.ok()) {
      problems.Add("every", "expected a duration such as 90s, 5m, 2h or 7d, found '" + *every + "'",
                   "write a length such as 7d");
    } else if (length->micros <= 0) {
      problems.Add("every", "is not positive", "write a length such as 7d");
    }
    return;
  }
  const auto units = UnitsOf(*this);
  if (!units.ok() || *units < 1 || *units > 10'000) {
    problems.Add("every", "expected a number of units of the calendar, found '" + *every + "'",
                 "write a number from 1 on, or leave out calendar");
    return;
  }
  if (const auto made = Calendar::Create(*calendar, *units, time_zone); !made.ok()) {
    problems.Add("time_zone", std::string(made.status().message()),
                 "write a name such as Europe/Zurich, or an offset such as +08:00");
  }
}

Duration TimeTrigger::Length() const { return *ParseDuration(*every); }

Calendar TimeTrigger::PeriodsOfCalendar() const {
  return *Calendar::Create(*calendar, *UnitsOf(*this), time_zone);
}

void ManualTrigger::Check(config::Problems& problems) const {
  if (std::adjacent_find(at.begin(), at.end(), std::greater_equal<>()) != at.end()) {
    problems.Add("at", "does not ascend", "put the times in order, each once");
  }
}

void DecisionInterval::Check(config::Problems& problems) const {
  if (every.has_value() != samples.has_value()) return;
  problems.Add("", every ? "has both every and samples" : "has neither every nor samples",
               "write every: 1h or samples: 500");
}

void CostTrigger::Check(config::Problems& problems) const {
  const bool counts_mistakes = of == CostOf::kMisclassifications;
  if (counts_mistakes == expected_accuracy.has_value()) return;
  problems.Add(counts_mistakes ? "of" : "expected_accuracy",
               counts_mistakes ? "needs the key expected_accuracy" : "needs of: misclassifications",
               counts_mistakes ? "add expected_accuracy: 0.9" : "add of: misclassifications");
}

std::string WhatNeedsEvidence(const TriggerSpec& spec, const std::string& path) {
  if (const auto* cost = std::get_if<CostTrigger>(&spec)) {
    return cost->of == CostOf::kMisclassifications ? path : "";
  }
  const auto* ensemble = std::get_if<EnsembleTrigger>(&spec);
  for (size_t i = 0; ensemble != nullptr && i < ensemble->of.size(); ++i) {
    const std::string below = path + ".of[" + std::to_string(i) + "]";
    if (std::string found = WhatNeedsEvidence(ensemble->of[i], below); !found.empty()) return found;
  }
  return "";
}

void EnsembleTrigger::Check(config::Problems& problems) const {
  if (at_least.has_value() != (vote == VoteRule::kAtLeast)) {
    problems.Add(at_least ? "at_least" : "vote",
                 at_least ? "needs vote: at_least" : "needs the key at_least",
                 at_least ? "write vote: at_least" : "add at_least: 2");
  } else if (at_least && *at_least > static_cast<int64_t>(of.size())) {
    problems.Add("at_least", "is more than there are policies", "write a smaller number");
  }
}

int64_t EnsembleTrigger::Needed() const {
  const auto size = static_cast<int64_t>(of.size());
  switch (vote) {
    case VoteRule::kMajority:
      return size / 2 + 1;
    case VoteRule::kAtLeast:
      return at_least.value_or(size);
    case VoteRule::kAll:
      return size;
    case VoteRule::kAny:
      break;
  }
  return 1;
}

}  // namespace tidemill::supervisor
