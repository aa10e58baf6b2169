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
  return ParseTimestamp(json.get<std::string>()).value_or(Timestamp{});
}

// `last` is what the eighth place says: the slice, or the baseline.
std::vector<MeasuredWindow> WindowsFromJson(const ordered_json& rows,
                                            std::string MeasuredWindow::*last) {
  std::vector<MeasuredWindow> windows;
  for (const ordered_json& row : rows) {
    MeasuredWindow& own = windows.emplace_back();
    own.trigger = row.at(0);
    own.dataset = row.at(1);
    own.from = TimeIn(row.at(2));
    own.to = TimeIn(row.at(3));
    own.measure = row.at(4);
    if (!row.at(5).is_null()) own.value = row.at(5).get<double>();
    own.num_samples = row.at(6);
    if (row.size() > 7) own.*last = row.at(7);
    if (row.size() > 8) own.sums = row.at(8);
  }
  return windows;
}

TrainedModel ModelFromJson(const ordered_json& json) {
  return {.at = TimeIn(json.at("at")),
          .number = json.at("trigger"),
          .num_samples = json.at("samples"),
          .stage_seconds = json.at("seconds"),
          .training_set = json.at("training_set"),
          .weights = json.at("weights")};
}

RunFigures Parse(const ordered_json& json) {
  RunFigures figures;
  figures.seconds = json.at("seconds");
  figures.num_decisions = json.at("decisions");
  figures.deciding_seconds = json.at("deciding_seconds");
  figures.num_skipped = json.at("skipped");
  for (const ordered_json& model : json.at("triggers")) {
    figures.models.push_back(ModelFromJson(model));
  }
  figures.active = WindowsFromJson(json.at("active"), &MeasuredWindow::slice);
  figures.baselines = WindowsFromJson(json.at("baselines"), &MeasuredWindow::baseline);
  figures.evaluations = WindowsFromJson(json.at("evaluations"), &MeasuredWindow::slice);
  return figures;
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
  try {
    return Parse(json);
  } catch (const ordered_json::exception& error) {
    return InvalidArgument("these are not the figures of a run: {}", error.what());
  }
}

}  // namespace tidemill::cli
