#include "supervisor/triggers/trigger_spec.h"

#include <algorithm>
#include <functional>

#include "fmt/format.h"

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
    // One that is known does nothing, either; that is refused where pipelines come in, as runs of
    // before have to be read.
    if (!Calendar::Create(CalendarUnit::kDay, 1, time_zone).ok()) {
      problems.Add("time_zone", fmt::format("time zone '{}' is unknown", time_zone),
                   "leave it out, or write calendar: day, week, month or year");
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

void SampleWindow::Check(config::Problems& problems) const {
  if (samples && length) {
    problems.Add("", "has both samples and length", "write samples: 1000 or length: 30d");
  }
}

namespace {

// What is drawn from a window at most.
int64_t RowsOf(const SampleWindow& window, int64_t most) {
  return window.length ? most : std::min(most, window.Samples());
}

void CheckLevel(const statistics::DriftStatistic& statistic, const PValueCriterion& criterion,
                config::Problems& problems) {
  const auto least = statistics::LeastPValue(statistic);
  if (!least) {
    problems.Add("criterion", "needs a p-value, which the statistic has none of",
                 "add permutations: 1000 to it, or write statistic: ks");
  } else if (*least >= criterion.alpha) {
    problems.Add(
        "criterion.alpha",
        fmt::format("is never reached: so few permutations give no p-value below {:.3g}", *least),
        "write more permutations");
  }
}

}  // namespace

void DriftTrigger::Check(config::Problems& problems) const {
  if ((of == DriftOf::kColumns) == columns.empty()) {
    problems.Add(columns.empty() ? "of" : "columns",
                 columns.empty() ? "needs the key columns" : "needs of: columns",
                 columns.empty() ? "add columns: [temperature]" : "write of: columns");
  }
  if (const auto* p_value = std::get_if<PValueCriterion>(&criterion)) {
    CheckLevel(statistic, *p_value, problems);
  }
  const auto* automatic = std::get_if<AutoCriterion>(&criterion);
  if (automatic == nullptr) return;
  const int64_t both = RowsOf(reference, rows) + RowsOf(current, rows);
  if (automatic->history < both) {
    problems.Add("criterion.history",
                 fmt::format("has no room for both windows, which have up to {} rows", both),
                 fmt::format("write {} or more, or smaller windows", both));
  }
}

void PerformanceTrigger::Check(config::Problems& problems) const {
  if (measure == PerformanceMeasure::kAccuracy) return;
  if (!std::holds_alternative<AvoidableErrorsCriterion>(criterion)) return;
  problems.Add("criterion", "counts mistakes, which real labels have none of",
               "write type: threshold, or measure: accuracy");
}

namespace {

bool AsksModel(const AmountTrigger&) { return false; }
bool AsksModel(const TimeTrigger&) { return false; }
bool AsksModel(const NeverTrigger&) { return false; }
bool AsksModel(const ManualTrigger&) { return false; }
bool AsksModel(const CostTrigger& spec) { return spec.of == CostOf::kMisclassifications; }
bool AsksModel(const DriftTrigger& spec) {
  return spec.of == DriftOf::kEmbeddings || spec.of == DriftOf::kPredictions;
}
bool AsksModel(const PerformanceTrigger&) { return true; }
bool AsksModel(const DetectorTrigger&) { return true; }
// Its policies do.
bool AsksModel(const EnsembleTrigger&) { return false; }

}  // namespace

std::string WhatAsksModels(const TriggerSpec& spec, const std::string& path) {
  if (std::visit([](const auto& policy) { return AsksModel(policy); }, spec)) return path;
  const auto* ensemble = std::get_if<EnsembleTrigger>(&spec);
  for (size_t i = 0; ensemble != nullptr && i < ensemble->of.size(); ++i) {
    const std::string below = path + ".of[" + std::to_string(i) + "]";
    if (std::string found = WhatAsksModels(ensemble->of[i], below); !found.empty()) return found;
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

TIDEMILL_CONFIG_TYPE(tidemill::supervisor::TriggerSpec);
