#include "cli/bench/comparison_run.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "cli/bench/checks.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;

using results::Row;
using results::Rows;

Rows JudgedOf(const ComparisonSpec& comparison, const RunFigures& run) {
  if (comparison.judged != JudgedWindows::kActive) {
    const bool but_first = comparison.judged == JudgedWindows::kAfterFirst && !run.models.empty();
    return results::Select(run.table, [&](const Row& own) {
      return results::IsCell(own) && own.measure() == comparison.measure && own.has_value() &&
             (comparison.dataset.empty() || own.dataset_name() == comparison.dataset) &&
             !(but_first && own.trigger() == run.models.front().number);
    });
  }
  Reading reading;
  reading.measure = comparison.measure;
  reading.dataset = comparison.dataset;
  reading.from = comparison.from;
  return WindowsRead(run, reading);
}

// The values of rules that have one for each of the judged windows.
std::map<std::string, double> BaselinesOn(const Rows& judged, const RunFigures& run) {
  const auto place = [](const Row& own) {
    return std::tuple(own.dataset_name(), own.measure(), results::PlaceOf(own));
  };
  std::set<decltype(place(*judged.front()))> places;
  for (const Row* own : judged) places.insert(place(*own));
  std::map<std::string, Rows> by_name;
  for (const Row* own : results::Baselines(run.table)) {
    if (own->has_value() && places.contains(place(*own))) by_name[own->baseline()].push_back(own);
  }
  std::map<std::string, double> values;
  for (const auto& [name, windows] : by_name) {
    if (windows.size() != places.size()) continue;
    if (const auto value = PooledValueOf(windows)) values[name] = *value;
  }
  return values;
}

double StageSeconds(const TrainedModel& model, const std::string& stage) {
  const auto found = model.stage_seconds.find(stage);
  return found == model.stage_seconds.end() ? 0 : found->second;
}

std::string FirstModelOf(const RunFigures& figures) {
  if (figures.models.empty()) return "";
  const TrainedModel& first = figures.models.front();
  return fmt::format("{} {} {}", FormatTimestamp(first.at), first.training_set, first.weights);
}

// The fields as they are stored. `run` may be const.
template <typename Run, typename Field>
void VisitFields(Run& run, const Field& field) {
  field("seed", run.seed);
  field("value", run.value);
  field("samples", run.num_judged);
  field("trainings", run.num_trainings);
  field("samples_trained", run.num_trained);
  field("samples_visited", run.num_visited);
  field("training_seconds", run.training_seconds);
  field("selecting_seconds", run.selecting_seconds);
  field("deciding_seconds", run.deciding_seconds);
  field("run_seconds", run.run_seconds);
  field("processor_seconds", run.processor_seconds);
  field("baselines", run.baselines);
  field("first_model", run.first_model);
  field("money", run.money);
  field("currency", run.currency);
}

void Store(ordered_json& json, const char* key, const auto& value) { json[key] = value; }
void Store(ordered_json& json, const char* key, const std::optional<double>& value) {
  if (value) json[key] = *value;
}

// Each returns whether the value has the type of the field.
bool Take(const ordered_json& json, int64_t& value) {
  if (json.is_number_integer()) value = json.get<int64_t>();
  return json.is_number_integer();
}
bool Take(const ordered_json& json, double& value) {
  if (json.is_number()) value = json.get<double>();
  return json.is_number();
}
bool Take(const ordered_json& json, std::optional<double>& value) {
  return Take(json, value.emplace());
}
bool Take(const ordered_json& json, std::string& value) {
  if (json.is_string()) value = json.get<std::string>();
  return json.is_string();
}
bool Take(const ordered_json& json, std::map<std::string, double>& values) {
  if (!json.is_object()) return false;
  return std::ranges::all_of(json.items(),
                             [&](const auto& own) { return Take(own.value(), values[own.key()]); });
}

}  // namespace

absl::StatusOr<ComparisonRun> JudgeRun(const ComparisonSpec& comparison,
                                       const RunFigures& figures) {
  const Rows judged = JudgedOf(comparison, figures);
  const auto value = PooledValueOf(judged);
  if (!value) return NotFound("no value of {}", comparison.measure);
  ComparisonRun run{.value = *value,
                    .baselines = BaselinesOn(judged, figures),
                    .num_trainings = static_cast<int64_t>(figures.models.size()),
                    .deciding_seconds = figures.deciding_seconds,
                    .run_seconds = figures.seconds,
                    .processor_seconds = figures.processor_seconds,
                    .money = figures.money,
                    .currency = figures.currency,
                    .first_model = FirstModelOf(figures)};
  for (const Row* row : judged) run.num_judged += row->num_samples();
  const size_t first = comparison.judged == JudgedWindows::kAfterFirst ? 1 : 0;
  for (size_t i = first; i < figures.models.size(); ++i) {
    const TrainedModel& model = figures.models[i];
    run.num_trained += model.num_samples;
    run.num_visited += model.num_visited;
    run.training_seconds += StageSeconds(model, "train");
    run.selecting_seconds += StageSeconds(model, "select");
  }
  return run;
}

ordered_json ComparisonRunToJson(const ComparisonRun& run) {
  ordered_json json;
  VisitFields(run, [&](const char* key, const auto& value) { Store(json, key, value); });
  if (run.currency.empty()) json.erase("currency");
  return json;
}

absl::StatusOr<ComparisonRun> ComparisonRunFromJson(const ordered_json& json) {
  if (!json.is_object() || !json.contains("value")) {
    return InvalidArgument("this is not a run of a comparison");
  }
  ComparisonRun run;
  std::string wrong;
  VisitFields(run, [&](const char* key, auto& value) {
    const auto found = json.find(key);
    if (found != json.end() && !Take(*found, value)) wrong = key;
  });
  if (!wrong.empty()) return InvalidArgument("'{}' has another type than in such a run", wrong);
  return run;
}

}  // namespace tidemill::cli
