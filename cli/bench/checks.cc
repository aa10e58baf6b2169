#include "cli/bench/checks.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "results/known_measures.h"
#include "results/pooling.h"

namespace tidemill::cli {
namespace {

using results::Row;
using results::Rows;
using Figures = std::map<std::string, RunFigures>;

// Drops what the span or the subject excludes.
Rows Kept(const Rows& windows, const Reading& reading) {
  std::string dataset = reading.dataset;
  Rows kept = results::Select(windows, [&](const Row& own) {
    if (own.measure() != reading.measure || own.slice() != reading.slice) return false;
    if (dataset.empty()) dataset = own.dataset_name();
    if (own.dataset_name() != dataset) return false;
    if (reading.from && own.from().event_time() < reading.from->micros) return false;
    return !reading.to || own.to().event_time() <= reading.to->micros;
  });
  std::ranges::stable_sort(kept, {}, [](const Row* own) { return own->from().event_time(); });
  return kept;
}

// A positive gain is better, whatever the measure.
double Gain(const std::string& measure, double own, double other) {
  return results::LowerIsBetter(measure) ? other - own : own - other;
}

absl::StatusOr<const RunFigures*> RunIn(const Figures& runs, const std::string& name) {
  const auto found = runs.find(name);
  if (found == runs.end()) return NotFound("run '{}' was not made", name);
  return &found->second;
}

absl::StatusOr<double> ValueOf(const Figures& runs, const Reading& reading) {
  ASSIGN_OR_RETURN(const RunFigures* run, RunIn(runs, reading.run));
  const auto value = PooledValueOf(WindowsRead(*run, reading));
  if (!value) return NotFound("run '{}' has no value of {} there", reading.run, reading.measure);
  return *value;
}

absl::StatusOr<double> Compute(const ValueCheck& check, const Figures& runs) {
  return ValueOf(runs, check);
}

// The baseline's value on the same windows as the reading.
absl::StatusOr<double> BaselineOf(const Figures& runs, const GainCheck& check) {
  ASSIGN_OR_RETURN(const RunFigures* run, RunIn(runs, check.run));
  const Rows own = Kept(results::Baselines(run->table), check);
  const auto value = PooledValueOf(
      results::Select(own, [&](const Row& row) { return row.baseline() == check.baseline; }));
  if (!value) return NotFound("run '{}' has no baseline '{}' there", check.run, check.baseline);
  return *value;
}

absl::StatusOr<double> Compute(const GainCheck& check, const Figures& runs) {
  ASSIGN_OR_RETURN(const double own, ValueOf(runs, check));
  if (!check.baseline.empty()) {
    ASSIGN_OR_RETURN(const double baseline, BaselineOf(runs, check));
    return Gain(check.measure, own, baseline);
  }
  Reading other = check;
  other.run = check.over;
  ASSIGN_OR_RETURN(const double value, ValueOf(runs, other));
  return Gain(check.measure, own, value);
}

absl::StatusOr<double> Compute(const WindowsWonCheck& check, const Figures& runs) {
  ASSIGN_OR_RETURN(const RunFigures* run, RunIn(runs, check.run));
  ASSIGN_OR_RETURN(const RunFigures* over, RunIn(runs, check.over));
  std::map<std::pair<int64_t, int64_t>, double> others;
  const auto times = [](const Row& row) {
    return std::pair(row.from().event_time(), row.to().event_time());
  };
  for (const Row* window : WindowsRead(*over, check)) {
    if (window->has_value()) others[times(*window)] = window->value();
  }
  int64_t num_won = 0;
  int64_t num_compared = 0;
  for (const Row* window : WindowsRead(*run, check)) {
    const auto other = others.find(times(*window));
    if (!window->has_value() || other == others.end()) continue;
    ++num_compared;
    num_won += Gain(check.measure, window->value(), other->second) > 0 ? 1 : 0;
  }
  if (num_compared == 0) return NotFound("the runs have no window in common");
  return static_cast<double>(num_won);
}

absl::StatusOr<double> Compute(const DecayCheck& check, const Figures& runs) {
  Reading reading;
  reading.run = check.run;
  reading.measure = check.measure;
  reading.of = JudgedModel::kFirst;
  reading.from = check.early.from;
  reading.to = check.early.to;
  ASSIGN_OR_RETURN(const double early, ValueOf(runs, reading));
  reading.from = check.late.from;
  reading.to = check.late.to;
  ASSIGN_OR_RETURN(const double late, ValueOf(runs, reading));
  return Gain(check.measure, early, late);
}

absl::StatusOr<double> Compute(const EqualWeightsCheck& check, const Figures& runs) {
  ASSIGN_OR_RETURN(const RunFigures* run, RunIn(runs, check.run));
  ASSIGN_OR_RETURN(const RunFigures* over, RunIn(runs, check.over));
  const size_t num_compared = std::min(run->models.size(), over->models.size());
  if (num_compared == 0) return NotFound("a run has no model");
  double num_other = 0;
  for (size_t i = 0; i < num_compared; ++i) {
    num_other += run->models[i].weights == over->models[i].weights ? 0 : 1;
  }
  return num_other;
}

template <typename OneCheck>
std::pair<std::optional<double>, std::optional<double>> BoundOf(const OneCheck& check) {
  if constexpr (requires { check.at_least; }) {
    return {check.at_least, check.at_most};
  } else {
    return {std::nullopt, 0.0};
  }
}

template <typename OneCheck>
CheckOutcome Judge(const OneCheck& check, const Figures& runs) {
  const auto [at_least, at_most] = BoundOf(check);
  CheckOutcome outcome{.name = check.name,
                       .bound = at_least ? fmt::format(">= {}", *at_least)
                                         : fmt::format("<= {}", at_most.value_or(0))};
  const absl::StatusOr<double> value = Compute(check, runs);
  if (!value.ok()) {
    outcome.why_not = std::string(value.status().message());
    return outcome;
  }
  outcome.value = *value;
  outcome.holds = at_least ? *value >= *at_least : *value <= at_most.value_or(0);
  return outcome;
}

}  // namespace

Rows WindowsRead(const RunFigures& run, const Reading& reading) {
  if (reading.of == JudgedModel::kActive) return Kept(results::Active(run.table), reading);
  const Rows windows = Kept(results::Select(run.table, results::IsOfModel), reading);
  if (run.models.empty()) return {};
  const int64_t number =
      (reading.of == JudgedModel::kFirst ? run.models.front() : run.models.back()).number;
  return results::Select(windows, [&](const Row& own) { return own.trigger() == number; });
}

std::optional<double> PooledValueOf(const Rows& windows) {
  if (windows.empty()) return std::nullopt;
  const auto pooled = results::Pool(windows.front()->measure(), windows);
  if (!pooled) return std::nullopt;
  return pooled->value;
}

std::vector<CheckOutcome> JudgeChecks(const std::vector<BenchmarkCheck>& checks,
                                      const Figures& runs) {
  std::vector<CheckOutcome> outcomes;
  for (const BenchmarkCheck& check : checks) {
    outcomes.push_back(std::visit([&](const auto& own) { return Judge(own, runs); }, check));
  }
  return outcomes;
}

nlohmann::ordered_json ChecksToJson(const std::vector<CheckOutcome>& outcomes) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const CheckOutcome& outcome : outcomes) {
    json.push_back({{"name", outcome.name},
                    {"value", outcome.value ? nlohmann::ordered_json(*outcome.value)
                                            : nlohmann::ordered_json(nullptr)},
                    {"bound", outcome.bound},
                    {"holds", outcome.holds}});
    if (!outcome.why_not.empty()) json.back()["why_not"] = outcome.why_not;
  }
  return json;
}

}  // namespace tidemill::cli
