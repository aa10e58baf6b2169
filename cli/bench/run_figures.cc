#include "cli/bench/run_figures.h"

#include "nlohmann/json.hpp"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;

double SecondsBetween(const google::protobuf::Timestamp& from,
                      const google::protobuf::Timestamp& to) {
  return static_cast<double>(to.seconds() - from.seconds()) + 1e-9 * (to.nanos() - from.nanos());
}

TrainedModel ModelOf(const supervisor::v1::Trigger& trigger) {
  return {.at = {trigger.at().event_time()},
          .number = trigger.number(),
          .num_samples = trigger.num_samples(),
          .stage_seconds = {trigger.stage_seconds().begin(), trigger.stage_seconds().end()},
          .training_set = trigger.training_set_digest(),
          .weights = trigger.weights_digest()};
}

template <typename Value>
MeasuredWindow WindowOf(const Value& value) {
  MeasuredWindow window{.dataset = value.dataset(),
                        .from = {value.from().event_time()},
                        .to = {value.to().event_time()},
                        .measure = value.measure(),
                        .num_samples = value.num_samples(),
                        .trigger = value.trigger(),
                        .sums = value.sums()};
  if (value.has_value()) window.value = value.value();
  return window;
}

// One array per window: names of thousands of windows would be most of the file.
ordered_json WindowsToJson(const std::vector<MeasuredWindow>& windows) {
  ordered_json rows = ordered_json::array();
  for (const MeasuredWindow& own : windows) {
    rows.push_back({own.trigger, own.dataset, FormatTimestamp(own.from), FormatTimestamp(own.to),
                    own.measure, own.value ? ordered_json(*own.value) : ordered_json(nullptr),
                    own.num_samples});
    const std::string& last = own.slice.empty() ? own.baseline : own.slice;
    if (!last.empty() || !own.sums.empty()) rows.back().push_back(last);
    if (!own.sums.empty()) rows.back().push_back(own.sums);
  }
  return rows;
}

Timestamp TimeIn(const ordered_json& json) {
  return json.is_string() ? ParseTimestamp(json.get<std::string>()).value_or(Timestamp{})
                          : Timestamp{};
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

// `last` is what the eighth place says: the slice, or the baseline.
absl::StatusOr<std::vector<MeasuredWindow>> WindowsFromJson(const ordered_json& json,
                                                            const char* key,
                                                            std::string MeasuredWindow::*last) {
  std::vector<MeasuredWindow> windows;
  const auto rows = json.find(key);
  if (rows == json.end() || !rows->is_array()) return InvalidArgument("'{}' is missing", key);
  for (const ordered_json& row : *rows) {
    if (!IsWindow(row)) return InvalidArgument("'{}' has a row that is no window", key);
    MeasuredWindow& own = windows.emplace_back();
    own.trigger = row[0];
    own.dataset = row[1];
    own.from = TimeIn(row[2]);
    own.to = TimeIn(row[3]);
    own.measure = row[4];
    if (!row[5].is_null()) own.value = row[5].get<double>();
    own.num_samples = row[6];
    if (row.size() > 7) own.*last = row[7];
    if (row.size() > 8) own.sums = row[8];
  }
  return windows;
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
                     .training_set = TextIn(json, "training_set"),
                     .weights = TextIn(json, "weights")};
  const auto stages = json.find("seconds");
  if (stages == json.end() || !stages->is_object()) return model;
  for (const auto& [stage, seconds] : stages->items()) {
    if (seconds.is_number()) model.stage_seconds[stage] = seconds.get<double>();
  }
  return model;
}

}  // namespace

RunFigures FiguresOf(const supervisor::v1::GetRunResponse& run) {
  RunFigures figures;
  figures.seconds = SecondsBetween(run.run().started_at(), run.run().finished_at());
  figures.num_decisions = run.decisions_size();
  for (const auto& decision : run.decisions()) figures.deciding_seconds += decision.seconds();
  for (const auto& trigger : run.triggers()) {
    if (trigger.model_id() != 0) {
      figures.models.push_back(ModelOf(trigger));
    } else {
      ++figures.num_skipped;
    }
  }
  for (const auto& value : run.active()) figures.active.push_back(WindowOf(value));
  for (const auto& value : run.baselines()) {
    figures.baselines.push_back(WindowOf(value));
    figures.baselines.back().baseline = value.baseline();
  }
  for (const auto& value : run.evaluations()) {
    figures.evaluations.push_back(WindowOf(value));
    figures.evaluations.back().slice = value.slice();
  }
  return figures;
}

ordered_json FiguresToJson(const RunFigures& figures) {
  ordered_json triggers = ordered_json::array();
  for (const TrainedModel& model : figures.models) {
    triggers.push_back({{"trigger", model.number},
                        {"at", FormatTimestamp(model.at)},
                        {"samples", model.num_samples},
                        {"seconds", model.stage_seconds},
                        {"training_set", model.training_set},
                        {"weights", model.weights}});
  }
  return {{"seconds", figures.seconds},
          {"decisions", figures.num_decisions},
          {"deciding_seconds", figures.deciding_seconds},
          {"skipped", figures.num_skipped},
          {"triggers", triggers},
          {"active", WindowsToJson(figures.active)},
          {"baselines", WindowsToJson(figures.baselines)},
          {"evaluations", WindowsToJson(figures.evaluations)}};
}

absl::StatusOr<RunFigures> FiguresFromJson(const ordered_json& json) {
  if (!json.is_object() || !json.contains("triggers") || !json["triggers"].is_array()) {
    return InvalidArgument("these are not the figures of a run");
  }
  RunFigures figures;
  figures.seconds = NumberIn(json, "seconds");
  figures.num_decisions = static_cast<int64_t>(NumberIn(json, "decisions"));
  figures.deciding_seconds = NumberIn(json, "deciding_seconds");
  figures.num_skipped = static_cast<int64_t>(NumberIn(json, "skipped"));
  for (const ordered_json& model : json["triggers"]) {
    if (!model.is_object()) return InvalidArgument("'triggers' has an entry that is no trigger");
    figures.models.push_back(ModelFromJson(model));
  }
  ASSIGN_OR_RETURN(figures.active, WindowsFromJson(json, "active", &MeasuredWindow::slice));
  ASSIGN_OR_RETURN(figures.baselines,
                   WindowsFromJson(json, "baselines", &MeasuredWindow::baseline));
  ASSIGN_OR_RETURN(figures.evaluations,
                   WindowsFromJson(json, "evaluations", &MeasuredWindow::slice));
  return figures;
}

}  // namespace tidemill::cli
