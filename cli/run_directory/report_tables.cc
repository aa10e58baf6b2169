#include "cli/run_directory/report_tables.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "nlohmann/json.hpp"

#include "cli/results/run_measures.h"
#include "cli/run_directory/report_data.h"
#include "evaluator/client/pooling.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using nlohmann::ordered_json;

// `size` indices, or `most` that are evenly spread over them, the last included.
std::vector<size_t> Thinned(size_t size, size_t most) {
  std::vector<size_t> indices;
  const size_t kept = std::min(size, most);
  for (size_t i = 1; i <= kept; ++i) indices.push_back(i * size / kept - 1);
  return indices;
}

// A number that the headline shows, too: the page rounds it as the headline does, once.
ordered_json Exact(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json ValueOf(const std::optional<double>& value) {
  return value ? Rounded(*value) : ordered_json(nullptr);
}

ordered_json PointOf(const ResultTable& table, int64_t trigger, size_t column) {
  const ResultCell* cell = table.At(trigger, column);
  if (cell == nullptr || !cell->value) return nullptr;
  return {ValueOf(cell->value), ValueOf(cell->low), ValueOf(cell->high), trigger};
}

ordered_json MeanToJson(const ResultMean& mean) {
  return {{"value", Exact(mean.value)}, {"samples", mean.num_samples}, {"how", mean.how}};
}

ordered_json MatrixOf(const ResultTable& table) {
  const std::vector<size_t> rows = Thinned(table.triggers.size(), kMaxMatrixLines);
  const std::vector<size_t> columns = Thinned(table.windows.size(), kMaxMatrixLines);
  ordered_json matrix = {{"triggers", ordered_json::array()},
                         {"windows", ordered_json::array()},
                         {"values", ordered_json::array()},
                         {"of", {table.triggers.size(), table.windows.size()}}};
  for (const size_t column : columns) {
    const ResultWindow& window = table.windows[column];
    matrix["windows"].push_back({window.from.event_time.micros / 1000,
                                 window.to.event_time.micros / 1000, window.num_samples, column + 1,
                                 table.active[column], table.trained[column]});
  }
  for (const size_t row : rows) {
    matrix["triggers"].push_back(table.triggers[row]);
    ordered_json values = ordered_json::array();
    for (const size_t column : columns) {
      const ResultCell* const cell = table.At(table.triggers[row], column);
      values.push_back(cell == nullptr ? ordered_json(nullptr) : ValueOf(cell->value));
    }
    matrix["values"].push_back(std::move(values));
  }
  return matrix;
}

using PlaceOfWindow = std::tuple<int32_t, std::string, int64_t, int64_t, int64_t, int64_t>;

PlaceOfWindow PlaceOf(const auto& value) {
  return {value.evaluation(),        value.dataset(),         value.from().event_time(),
          value.from().sample_key(), value.to().event_time(), value.to().sample_key()};
}

// Which model stands for a window: the one that was in use, or, in an evaluation in which none was,
// as on a whole dataset, the last one. A measure without values has no series, so the other
// measures' series tell the windows.
class InUse {
 public:
  explicit InUse(const v1::GetRunResponse& run) {
    for (const v1::Trigger& trigger : run.triggers()) {
      if (trigger.model_id() != 0) last_ = trigger.number();
    }
    for (const v1::CompositeValue& value : run.active()) {
      triggers_[PlaceOf(value)] = value.trigger();
      evaluations_.insert(value.evaluation());
    }
  }

  bool Holds(const v1::EvaluationValue& value) const {
    if (!evaluations_.contains(value.evaluation())) return value.trigger() == last_;
    const auto active = triggers_.find(PlaceOf(value));
    return active != triggers_.end() && active->second == value.trigger();
  }

 private:
  int64_t last_ = 0;
  std::map<PlaceOfWindow, int64_t> triggers_;
  std::set<int32_t> evaluations_;
};

struct SliceSum {
  std::vector<evaluator::WindowValue> windows = {};
  double least = 0;
  double most = 0;
  int64_t num_samples = 0;

  void Add(double value, int64_t samples) {
    least = num_samples == 0 ? value : std::min(least, value);
    most = num_samples == 0 ? value : std::max(most, value);
    windows.push_back({.value = value, .num_samples = samples});
    num_samples += samples;
  }
};

struct Confusion {
  std::vector<std::string> classes;
  std::map<std::pair<std::string, std::string>, int64_t> counts;  // By true and predicted class.

  // Windows may know different classes.
  void Add(const ordered_json& detail) {
    if (!detail.contains("classes") || !detail.contains("counts")) return;
    std::vector<std::string> names;
    for (const auto& name : detail["classes"]) {
      names.push_back(name.is_string() ? name.get<std::string>() : name.dump());
      if (std::find(classes.begin(), classes.end(), names.back()) == classes.end()) {
        classes.push_back(names.back());
      }
    }
    for (size_t row = 0; row < detail["counts"].size() && row < names.size(); ++row) {
      const auto& of_row = detail["counts"][row];
      for (size_t column = 0; column < of_row.size() && column < names.size(); ++column) {
        if (!of_row[column].is_number()) continue;
        counts[{names[row], names[column]}] += of_row[column].get<int64_t>();
      }
    }
  }
};

ordered_json DifferenceOf(const OutcomeDifference& difference) {
  if (!difference.missing().empty()) {
    return {{"than", difference.than()}, {"missing", difference.missing()}};
  }
  return {{"than", difference.than()},
          {"models", Exact(difference.models())},
          {"other", Exact(difference.other())},
          {"low", difference.has_low() ? Exact(difference.low()) : ordered_json(nullptr)},
          {"high", difference.has_high() ? Exact(difference.high()) : ordered_json(nullptr)},
          {"samples", difference.num_samples()},
          {"share", Rounded(difference.share())},
          {"beyond", IsBeyondChance(difference)}};
}

}  // namespace

ordered_json TableToJson(const ResultTable& table) {
  ordered_json json = {{"evaluation", table.evaluation + 1},
                       {"dataset", table.dataset},
                       {"measure", table.measure},
                       {"lower", table.lower_is_better},
                       {"share", table.share},
                       {"total", table.windows.size()}};
  for (const char* series : {"windows", "active", "trained", "first"}) {
    json[series] = ordered_json::array();
  }
  for (const size_t column : Thinned(table.windows.size(), kMaxPoints)) {
    const ResultWindow& window = table.windows[column];
    json["windows"].push_back({window.from.event_time.micros / 1000,
                               window.to.event_time.micros / 1000, window.num_samples});
    json["active"].push_back(PointOf(table, table.active[column], column));
    json["trained"].push_back(PointOf(table, table.trained[column], column));
    json["first"].push_back(PointOf(table, table.triggers.front(), column));
  }
  ordered_json means = ordered_json::object();
  if (const auto mean = ActiveMean(table)) means["active"] = MeanToJson(*mean);
  if (const auto mean = LastMean(table)) means["last"] = MeanToJson(*mean);
  if (table.active_interval) {
    means["interval"] = {Exact(table.active_interval->first), Exact(table.active_interval->second)};
  }
  if (const auto comparison = CompareWithFirst(table)) {
    means["first"] = MeanToJson(comparison->first);
    means["same"] = MeanToJson(comparison->active);
  }
  means["baselines"] = ordered_json::array();
  for (const Baseline& baseline : table.baselines) {
    if (baseline.name == "first") continue;
    means["baselines"].push_back({{"name", baseline.name},
                                  {"rule", baseline.rule},
                                  {"value", Exact(*baseline.reached.Mean())},
                                  {"samples", baseline.reached.num_samples()},
                                  {"wins", baseline.Wins()}});
  }
  json["means"] = std::move(means);
  json["differences"] = ordered_json::array();
  for (const OutcomeDifference& difference : table.differences) {
    json["differences"].push_back(DifferenceOf(difference));
  }
  json["matrix"] = MatrixOf(table);
  return json;
}

ordered_json SlicesOf(const v1::GetRunResponse& run) {
  const InUse in_use(run);
  std::map<std::tuple<int32_t, std::string, std::string>, std::map<std::string, SliceSum>> tables;
  for (const v1::EvaluationValue& value : run.evaluations()) {
    if (value.slice().empty() || !value.has_value()) continue;
    if (!in_use.Holds(value)) continue;
    tables[{value.evaluation(), value.dataset(), value.measure()}][value.slice()].Add(
        value.value(), value.num_samples());
  }
  ordered_json slices = ordered_json::array();
  for (const auto& [key, sums] : tables) {
    ordered_json rows = ordered_json::array();
    const auto of_pipeline = PluginMeasureOf(run, std::get<0>(key), std::get<2>(key));
    for (const auto& [slice, sum] : sums) {
      const auto pooled = evaluator::Pool(std::get<2>(key), sum.windows, of_pipeline.get());
      if (!pooled) continue;
      rows.push_back({{"slice", slice},
                      {"samples", sum.num_samples},
                      {"value", Rounded(pooled->value)},
                      {"least", Rounded(sum.least)},
                      {"most", Rounded(sum.most)}});
    }
    slices.push_back({{"dataset", std::get<1>(key)},
                      {"measure", std::get<2>(key)},
                      {"share", IsShare(std::get<2>(key))},
                      {"rows", std::move(rows)}});
  }
  return slices;
}

ordered_json ConfusionsOf(const v1::GetRunResponse& run) {
  const InUse in_use(run);
  std::map<std::pair<int32_t, std::string>, Confusion> sums;
  for (const v1::EvaluationValue& value : run.evaluations()) {
    if (value.detail().empty() || !value.slice().empty()) continue;
    if (!in_use.Holds(value)) continue;
    const auto detail = ordered_json::parse(value.detail(), nullptr, false);
    if (detail.is_object()) sums[{value.evaluation(), value.dataset()}].Add(detail);
  }
  ordered_json confusions = ordered_json::array();
  for (const auto& [key, sum] : sums) {
    if (sum.classes.empty()) continue;
    ordered_json counts = ordered_json::array();
    for (const std::string& row : sum.classes) {
      ordered_json of_row = ordered_json::array();
      for (const std::string& column : sum.classes) {
        const auto count = sum.counts.find({row, column});
        of_row.push_back(count == sum.counts.end() ? 0 : count->second);
      }
      counts.push_back(std::move(of_row));
    }
    confusions.push_back(
        {{"dataset", key.second}, {"classes", sum.classes}, {"counts", std::move(counts)}});
  }
  return confusions;
}

}  // namespace tidemill::cli
