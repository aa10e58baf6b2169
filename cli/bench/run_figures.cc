#include "cli/bench/run_figures.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "nlohmann/json.hpp"

#include "cli/results/run_costs.h"
#include "cli/results/run_json.h"
#include "rpc/usage/money.h"
#include "rpc/usage/usage_message.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;
using results::Row;
using results::Rows;

double SecondsBetween(const google::protobuf::Timestamp& from,
                      const google::protobuf::Timestamp& to) {
  return static_cast<double>(to.seconds() - from.seconds()) + 1e-9 * (to.nanos() - from.nanos());
}

// How often the training took a sample.
int64_t NumVisited(const rpc::v1::TrainingResult& result) {
  if (!result.has_downsampling()) return result.num_samples() * result.epochs();
  int64_t num_visited = 0;
  for (const auto& epoch : result.downsampling().epochs()) num_visited += epoch.num_chosen();
  return num_visited;
}

TrainedModel ModelOf(const supervisor::v1::Trigger& trigger) {
  return {.at = {trigger.at().event_time()},
          .number = trigger.number(),
          .num_samples = trigger.num_samples(),
          .num_visited = NumVisited(trigger.result()),
          .stage_seconds = {trigger.stage_seconds().begin(), trigger.stage_seconds().end()},
          .training_set = trigger.training_set_digest(),
          .weights = trigger.weights_digest()};
}

// Seven digits after the point are more than a measure on some thousand samples has.
double Rounded(double value) { return std::round(value * 1e7) / 1e7; }

double ToMicroseconds(double seconds) { return std::round(seconds * 1e6) / 1e6; }

// One array per window: names of thousands of windows would be most of the file.
ordered_json WindowsToJson(const Rows& windows) {
  ordered_json rows = ordered_json::array();
  for (const Row* own : windows) {
    rows.push_back({own->trigger(), own->dataset_name(), TimeOf(own->from()), TimeOf(own->to()),
                    own->measure(),
                    own->has_value() ? ordered_json(own->value()) : ordered_json(nullptr),
                    own->num_samples()});
    if (!own->baseline().empty() || !own->sums().empty()) rows.back().push_back(own->baseline());
    if (!own->sums().empty()) rows.back().push_back(own->sums());
  }
  return rows;
}

// A model on a window, by what a file has of both.
using Key = std::tuple<std::string, int64_t, int64_t, std::string, std::string>;

Key KeyOf(const Row& row) {
  return {row.dataset_name(), row.from().event_time(), row.to().event_time(), row.measure(),
          row.slice()};
}

// Many models share the same windows: writes the windows once, and a short array for each value.
// The sums of the models in use are in `active`.
ordered_json EvaluationsToJson(const Rows& evaluations) {
  std::map<Key, size_t> places;
  ordered_json windows = ordered_json::array();
  ordered_json values = ordered_json::array();
  for (const Row* own : evaluations) {
    const auto [place, is_new] = places.emplace(KeyOf(*own), places.size());
    if (is_new) {
      windows.push_back({own->dataset_name(), TimeOf(own->from()), TimeOf(own->to()),
                         own->measure(), own->slice()});
    }
    values.push_back(
        {own->trigger(), place->second,
         own->has_value() ? ordered_json(Rounded(own->value())) : ordered_json(nullptr),
         own->num_samples()});
    if (!own->sums().empty() && !own->active()) values.back().push_back(own->sums());
  }
  return {{"windows", windows}, {"values", values}};
}

int64_t TimeIn(const ordered_json& json) {
  return ParseTimestamp(json.get<std::string>()).value_or(Timestamp{}).micros;
}

// Whether a row is an array as WindowsToJson() writes it.
bool IsWindow(const ordered_json& row) {
  if (!row.is_array() || row.size() < 7 || row.size() > 9) return false;
  const bool has_texts = row[1].is_string() && row[2].is_string() && row[3].is_string() &&
                         row[4].is_string() && (row.size() < 8 || row[7].is_string()) &&
                         (row.size() < 9 || row[8].is_string());
  return has_texts && row[0].is_number() && (row[5].is_null() || row[5].is_number()) &&
         row[6].is_number();
}

absl::StatusOr<std::vector<Row>> WindowsFromJson(const ordered_json& json, const char* key) {
  std::vector<Row> windows;
  const auto rows = json.find(key);
  if (rows == json.end() || !rows->is_array()) return InvalidArgument("'{}' is missing", key);
  for (const ordered_json& row : *rows) {
    if (!IsWindow(row)) return InvalidArgument("'{}' has a row that is not a window", key);
    Row& own = windows.emplace_back();
    own.set_trigger(row[0]);
    own.set_dataset_name(row[1].get<std::string>());
    own.mutable_from()->set_event_time(TimeIn(row[2]));
    own.mutable_to()->set_event_time(TimeIn(row[3]));
    own.set_measure(row[4].get<std::string>());
    if (!row[5].is_null()) own.set_value(row[5]);
    own.set_num_samples(row[6]);
    if (row.size() > 7) own.set_baseline(row[7].get<std::string>());
    if (row.size() > 8) own.set_sums(row[8].get<std::string>());
  }
  return windows;
}

bool IsEvaluatedWindow(const ordered_json& row) {
  return row.is_array() && row.size() == 5 &&
         std::ranges::all_of(row, [](const ordered_json& own) { return own.is_string(); });
}

bool IsEvaluatedValue(const ordered_json& row, size_t num_windows) {
  return row.is_array() && (row.size() == 4 || (row.size() == 5 && row[4].is_string())) &&
         row[0].is_number() && row[1].is_number_unsigned() && row[1].get<size_t>() < num_windows &&
         (row[2].is_null() || row[2].is_number()) && row[3].is_number();
}

absl::StatusOr<std::vector<Row>> EvaluationsFromJson(const ordered_json& json) {
  const auto windows = json.find("windows");
  const auto values = json.find("values");
  if (windows == json.end() || values == json.end()) {
    return InvalidArgument("'evaluations' has no windows or no values");
  }
  std::vector<Row> known;
  for (const ordered_json& row : *windows) {
    if (!IsEvaluatedWindow(row)) return InvalidArgument("'windows' has a row that is not a window");
    Row& window = known.emplace_back();
    window.set_dataset_name(row[0].get<std::string>());
    window.mutable_from()->set_event_time(TimeIn(row[1]));
    window.mutable_to()->set_event_time(TimeIn(row[2]));
    window.set_measure(row[3].get<std::string>());
    window.set_slice(row[4].get<std::string>());
  }
  std::vector<Row> evaluations;
  for (const ordered_json& row : *values) {
    if (!IsEvaluatedValue(row, known.size())) {
      return InvalidArgument("'values' has a row that is not a value");
    }
    Row& own = evaluations.emplace_back(known[row[1].get<size_t>()]);
    own.set_trigger(row[0]);
    if (!row[2].is_null()) own.set_value(row[2]);
    own.set_num_samples(row[3]);
    if (row.size() > 4) own.set_sums(row[4].get<std::string>());
  }
  return evaluations;
}

// Puts the rows of the models in use, which have all digits, in the place of the same ones.
void TakeActive(std::vector<Row> active, std::vector<Row>& table) {
  std::map<std::pair<int64_t, Key>, size_t> places;
  for (size_t i = 0; i < table.size(); ++i)
    places.emplace(std::pair(table[i].trigger(), KeyOf(table[i])), i);
  for (Row& row : active) {
    row.set_active(true);
    const auto place = places.find({row.trigger(), KeyOf(row)});
    if (place == places.end() || table[place->second].active()) {
      table.push_back(std::move(row));
    } else {
      table[place->second] = std::move(row);
    }
  }
}

double NumberIn(const ordered_json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

std::string TextIn(const ordered_json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

TrainedModel ModelFromJson(const ordered_json& json) {
  TrainedModel model{.at = ParseTimestamp(TextIn(json, "at")).value_or(Timestamp{}),
                     .number = static_cast<int64_t>(NumberIn(json, "trigger")),
                     .num_samples = static_cast<int64_t>(NumberIn(json, "samples")),
                     .weights = TextIn(json, "weights")};
  const auto stages = json.find("seconds");
  if (stages == json.end() || !stages->is_object()) return model;
  for (const auto& [stage, seconds] : stages->items()) {
    if (seconds.is_number()) model.stage_seconds[stage] = seconds.get<double>();
  }
  return model;
}

void AddCosts(const supervisor::v1::RunCosts& costs, RunFigures& figures) {
  const rpc::v1::Usage total = TotalOf(costs);
  figures.processor_seconds = static_cast<double>(rpc::ProcessorNanos(total)) / 1e9;
  if (!costs.has_prices()) return;
  figures.money = rpc::MoneyOf(total, costs.prices()).once;
  figures.currency = costs.prices().currency();
}

}  // namespace

RunFigures FiguresOf(const supervisor::v1::GetRunResponse& run) {
  RunFigures figures;
  figures.seconds = SecondsBetween(run.run().started_at(), run.run().finished_at());
  figures.num_decisions = run.decisions_size();
  for (const auto& decision : run.decisions()) figures.deciding_seconds += decision.seconds();
  AddCosts(run.run().costs(), figures);
  for (const auto& trigger : run.triggers()) {
    if (trigger.model_id() != 0) {
      figures.models.push_back(ModelOf(trigger));
    } else {
      ++figures.num_skipped;
    }
  }
  figures.table.assign(run.results().begin(), run.results().end());
  return figures;
}

ordered_json FiguresToJson(const RunFigures& figures) {
  ordered_json triggers = ordered_json::array();
  for (const TrainedModel& model : figures.models) {
    std::map<std::string, double> seconds = model.stage_seconds;
    for (auto& [stage, own] : seconds) own = ToMicroseconds(own);
    triggers.push_back({{"trigger", model.number},
                        {"at", FormatTimestamp(model.at)},
                        {"samples", model.num_samples},
                        {"seconds", seconds}});
    if (!model.weights.empty()) triggers.back()["weights"] = model.weights;
  }
  ordered_json json = {
      {"seconds", ToMicroseconds(figures.seconds)},
      {"decisions", figures.num_decisions},
      {"deciding_seconds", ToMicroseconds(figures.deciding_seconds)},
      {"processor_seconds", ToMicroseconds(figures.processor_seconds)},
      {"skipped", figures.num_skipped},
      {"triggers", triggers},
      {"active", WindowsToJson(results::Active(figures.table))},
      {"baselines", WindowsToJson(results::Baselines(figures.table))},
      {"evaluations", EvaluationsToJson(results::Select(figures.table, results::IsOfModel))}};
  if (figures.money) {
    json["money"] = *figures.money;
    json["currency"] = figures.currency;
  }
  return json;
}

absl::StatusOr<RunFigures> FiguresFromJson(const ordered_json& json) {
  if (!json.is_object() || !json.contains("triggers") || !json["triggers"].is_array()) {
    return InvalidArgument("these are not the figures of a run");
  }
  RunFigures figures;
  figures.seconds = NumberIn(json, "seconds");
  figures.num_decisions = static_cast<int64_t>(NumberIn(json, "decisions"));
  figures.deciding_seconds = NumberIn(json, "deciding_seconds");
  figures.processor_seconds = NumberIn(json, "processor_seconds");
  if (json.contains("money")) figures.money = NumberIn(json, "money");
  figures.currency = TextIn(json, "currency");
  figures.num_skipped = static_cast<int64_t>(NumberIn(json, "skipped"));
  for (const ordered_json& model : json["triggers"]) {
    if (!model.is_object()) return InvalidArgument("'triggers' has an entry that is not a trigger");
    figures.models.push_back(ModelFromJson(model));
  }
  ASSIGN_OR_RETURN(std::vector<Row> active, WindowsFromJson(json, "active"));
  ASSIGN_OR_RETURN(const std::vector<Row> baselines, WindowsFromJson(json, "baselines"));
  const auto evaluations = json.find("evaluations");
  if (evaluations == json.end() || !evaluations->is_object()) {
    return InvalidArgument("'evaluations' is missing");
  }
  ASSIGN_OR_RETURN(figures.table, EvaluationsFromJson(*evaluations));
  TakeActive(std::move(active), figures.table);
  figures.table.insert(figures.table.begin(), baselines.begin(), baselines.end());
  return figures;
}

}  // namespace tidemill::cli
