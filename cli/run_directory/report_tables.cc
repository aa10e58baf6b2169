#include "cli/run_directory/report_tables.h"

#include <algorithm>
#include <map>

#include "nlohmann/json.hpp"

#include "cli/results/ledger.h"
#include "cli/results/slices_table.h"
#include "cli/run_directory/report_data.h"
#include "results/known_measures.h"
#include "results/rows.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using nlohmann::ordered_json;
using results::Row;

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

ordered_json ValueOf(bool has_value, double value) {
  return has_value ? Rounded(value) : ordered_json(nullptr);
}

ordered_json PointOf(const ResultTable& table, int64_t trigger, size_t column) {
  const Row* const cell = table.At(trigger, column);
  if (cell == nullptr || !cell->has_value()) return nullptr;
  return {Rounded(cell->value()), ValueOf(cell->has_low(), cell->low()),
          ValueOf(cell->has_high(), cell->high()), trigger};
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
      const Row* const cell = table.At(table.triggers[row], column);
      values.push_back(cell == nullptr ? ordered_json(nullptr)
                                       : ValueOf(cell->has_value(), cell->value()));
    }
    matrix["values"].push_back(std::move(values));
  }
  return matrix;
}

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
  if (const auto mean = ActiveMean(table)) {
    const MeasuredShare share(SeriesOf(table, table.active));
    means["active"] = MeanToJson(*mean);
    means["active"]["counts"] = share.OfKnown() + share.Lost();
  }
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
  ordered_json slices = ordered_json::array();
  for (const SlicedMeasure& sliced : SlicedMeasures(run)) {
    ordered_json rows = ordered_json::array();
    for (const auto& [slice, mean] : sliced.slices) {
      if (!mean.Mean()) continue;
      const auto value = [](const Row* row) { return row->value(); };
      const auto [least, most] = std::ranges::minmax(mean.rows(), {}, value);
      rows.push_back({{"slice", slice},
                      {"samples", mean.num_samples()},
                      {"value", Rounded(*mean.Mean())},
                      {"least", Rounded(least->value())},
                      {"most", Rounded(most->value())}});
    }
    if (rows.empty()) continue;
    slices.push_back({{"dataset", sliced.of.dataset},
                      {"measure", sliced.of.measure},
                      {"share", results::IsShare(sliced.of.measure)},
                      {"rows", std::move(rows)}});
  }
  return slices;
}

ordered_json ConfusionsOf(const v1::GetRunResponse& run) {
  std::map<std::pair<int32_t, std::string>, Confusion> sums;
  for (const Row* row : results::InUse(run.results())) {
    if (row->detail().empty() || !results::IsWhole(*row)) continue;
    const auto detail = ordered_json::parse(row->detail(), nullptr, false);
    if (detail.is_object()) sums[{row->evaluation(), row->dataset_name()}].Add(detail);
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
