#include "cli/results/worth.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/results/run_measures.h"
#include "cli/terminal/text.h"
#include "config/config.h"
#include "config/documents/document.h"
#include "results/known_measures.h"

namespace tidemill::cli {
namespace {

using config::Node;
using nlohmann::ordered_json;
using supervisor::v1::Decision;
using supervisor::v1::Verdict;

// With the sign of a difference: "+6.7", "−0.3".
std::string Signed(double value, int digits) {
  const std::string size = fmt::format("{:.{}f}", std::abs(value), digits);
  const bool is_zero = size.find_first_not_of("0.") == std::string::npos;
  return (is_zero ? "" : value < 0 ? "−" : "+") + size;
}

// Four digits that matter.
std::string SignedShort(double value) {
  return fmt::format("{}{:.4g}", value < 0 ? "−" : value > 0 ? "+" : "", std::abs(value));
}

// How a difference is written: what it is multiplied by, and what follows it.
struct Scale {
  double factor = 1;
  std::string after_value = {};
  std::string after_bound = {};
  bool is_short = false;
};

Scale ScaleOf(const OutcomeDifference& difference, const MeasureStyle& style) {
  const double sign = style.lower_is_better ? -1 : 1;
  if (style.is_share) return {.factor = 100 * sign, .after_value = " points"};
  if (style.lower_is_better && difference.other() > 0) {
    return {.factor = 100 * sign / difference.other(), .after_value = " %", .after_bound = " %"};
  }
  return {
      .factor = sign, .after_value = style.unit.empty() ? "" : " " + style.unit, .is_short = true};
}

MeasureStyle StyleOf(const supervisor::v1::GetRunResponse& run,
                     const OutcomeDifference& difference) {
  const auto plugin = PluginMeasureOf(run, difference.evaluation(), difference.measure());
  if (plugin != nullptr) {
    return {.lower_is_better = plugin->LowerIsBetter(), .unit = plugin->Unit()};
  }
  return {.lower_is_better = results::LowerIsBetter(difference.measure()),
          .is_share = results::IsShare(difference.measure())};
}

std::string NameOfOther(const std::string& than) {
  if (than == "first") return "the first model, never retrained";
  if (than == "constant") return "the constant rule";
  return than == "last" ? "the last known label" : than;
}

std::string VerdictOf(const OutcomeDifference& difference, const MeasureStyle& style) {
  if (!difference.has_low()) return "too few samples to tell";
  if (!IsBeyondChance(difference)) return "may be chance";
  return IsBetter(difference, style) ? "better" : "worse";
}

// Columns that a table shows.
constexpr int kMostColumnRows = 20;

// The loss as a difference of the intact samples from the exchanged ones.
OutcomeDifference LossOf(const evaluator::v1::ColumnImportance& column) {
  OutcomeDifference difference;
  // A loss is shown in units of the intact value.
  difference.set_models(2 * column.intact() - column.exchanged());
  difference.set_other(column.intact());
  if (column.has_low()) difference.set_low(column.low());
  if (column.has_high()) difference.set_high(column.high());
  return difference;
}

MeasureStyle StyleOfMeasure(const std::string& measure) {
  return {.lower_is_better = results::LowerIsBetter(measure),
          .is_share = results::IsShare(measure)};
}

std::string ImportanceTable(const evaluator::v1::ColumnImportances& importances, const View& view) {
  const MeasureStyle style = StyleOfMeasure(importances.measure());
  Table table({"COLUMN", "LOSS OF " + OneLine(importances.measure()) + " [95 %]", ""});
  const int shown = view.full ? importances.columns_size()
                              : std::min(kMostColumnRows, importances.columns_size());
  for (int i = 0; i < shown; ++i) {
    const evaluator::v1::ColumnImportance& column = importances.columns(i);
    const OutcomeDifference difference = LossOf(column);
    table.Add({OneLine(column.column()), ShowDifference(difference, style),
               IsBeyondChance(difference) ? "" : "may be chance"});
  }
  std::string text = fmt::format(
      "\ncolumns that matter to the model of trigger {} on {}: what is lost where {} samples "
      "exchange their values\n",
      importances.trigger(), OneLine(importances.dataset_name()),
      WithThousands(importances.num_samples()));
  text += table.ToString();
  if (shown < importances.columns_size()) {
    text +=
        fmt::format("  {} more columns; --full shows all\n", importances.columns_size() - shown);
  }
  if (importances.num_columns_left_out() > 0) {
    text +=
        fmt::format("  {} columns were not looked at: an evaluation looks at {}\n",
                    WithThousands(importances.num_columns_left_out()), importances.columns_size());
  }
  return text;
}

// A policy in the resolved pipeline that compares columns.
struct DriftPolicy {
  std::string statistic;
  std::vector<std::string> columns;
};

struct DriftedColumn {
  int64_t num_decisions = 0;
  double score = 0;
  double threshold = 0;
  int64_t first_at = 0;
  int64_t last_at = 0;
  std::vector<int64_t> triggers = {};
};

struct Looked {
  int64_t num_decisions = 0;
  int64_t num_drifted = 0;
  std::map<std::string, DriftedColumn> columns = {};
};

// The policies by their places: "" or "of[1]", as in a tree of verdicts.
using Policies = std::map<std::string, DriftPolicy>;

std::string TextAt(const Node& node, std::string_view key) {
  const Node* const value = node.Find(key);
  if (value == nullptr) return "";
  if (value->kind == Node::Kind::kMap) return TextAt(*value, "type");
  return value->text;
}

void CollectPolicies(const Node& policy, const std::string& place, Policies& policies) {
  const Node* const columns = policy.Find("columns");
  if (TextAt(policy, "type") == "drift" && columns != nullptr && !columns->items.empty()) {
    DriftPolicy& found = policies[place];
    found.statistic = TextAt(policy, "statistic");
    for (const auto& column : columns->items) found.columns.push_back(column->text);
  }
  const Node* const members = policy.Find("of");
  if (members == nullptr || members->kind != Node::Kind::kList) return;
  for (size_t i = 0; i < members->items.size(); ++i) {
    CollectPolicies(*members->items[i],
                    (place.empty() ? "of[" : place + ".of[") + std::to_string(i) + "]", policies);
  }
}

Policies PoliciesOf(const std::string& pipeline) {
  const auto document = config::ReadDocument(
      {.text = pipeline, .name = "pipeline", .max_bytes = config::kMaxKeptBytes});
  Policies policies;
  if (document->root == nullptr || !document->readable) return policies;
  if (const Node* const trigger = document->root->Find("trigger"))
    CollectPolicies(*trigger, "", policies);
  return policies;
}

void LookAt(const Decision& decision, const Verdict& verdict, const std::string& place,
            const Policies& policies, std::map<std::string, Looked>& all) {
  const auto policy = policies.find(place);
  const auto column = verdict.observed().find("column");
  const bool has_column = policy != policies.end() && column != verdict.observed().end();
  if (has_column && !verdict.passed_over() && verdict.policy() == "drift") {
    const auto number = static_cast<size_t>(column->second);
    Looked& looked = all[place];
    ++looked.num_decisions;
    if (verdict.fired() && number < policy->second.columns.size()) {
      ++looked.num_drifted;
      DriftedColumn& drifted = looked.columns[policy->second.columns[number]];
      const auto score = verdict.observed().find("score");
      const double value = score == verdict.observed().end() ? 0 : score->second;
      if (drifted.num_decisions == 0) drifted.first_at = decision.at().event_time();
      drifted.last_at = decision.at().event_time();
      if (drifted.num_decisions == 0 || value > drifted.score) {
        drifted.score = value;
        drifted.threshold = verdict.comparison().threshold();
      }
      ++drifted.num_decisions;
      if (decision.trigger() > 0) drifted.triggers.push_back(decision.trigger());
    }
  }
  for (int i = 0; i < verdict.members_size(); ++i) {
    LookAt(decision, verdict.members(i),
           (place.empty() ? "of[" : place + ".of[") + std::to_string(i) + "]", policies, all);
  }
}

ordered_json ColumnsToJson(const std::map<std::string, DriftedColumn>& columns) {
  std::vector<std::pair<std::string, DriftedColumn>> ordered(columns.begin(), columns.end());
  std::ranges::stable_sort(ordered, std::greater(),
                           [](const auto& entry) { return entry.second.num_decisions; });
  ordered_json list = ordered_json::array();
  for (const auto& [name, drifted] : ordered) {
    list.push_back({{"column", name},
                    {"decisions", drifted.num_decisions},
                    {"score", drifted.score},
                    {"threshold", drifted.threshold},
                    {"first_at", FormatTimestamp({drifted.first_at})},
                    {"last_at", FormatTimestamp({drifted.last_at})},
                    {"triggers", drifted.triggers}});
  }
  return list;
}

}  // namespace

bool IsBetter(const OutcomeDifference& difference, const MeasureStyle& style) {
  const double gain = difference.models() - difference.other();
  return difference.missing().empty() && (style.lower_is_better ? gain < 0 : gain > 0);
}

bool IsBeyondChance(const OutcomeDifference& difference) {
  return difference.has_low() && difference.has_high() &&
         (difference.low() > 0 || difference.high() < 0);
}

std::string ShowDifference(const OutcomeDifference& difference, const MeasureStyle& style) {
  if (!difference.missing().empty()) return "";
  const Scale scale = ScaleOf(difference, style);
  const auto show = [&](double value) {
    return scale.is_short ? SignedShort(scale.factor * value) : Signed(scale.factor * value, 1);
  };
  std::string text = show(difference.models() - difference.other()) + scale.after_value;
  if (!difference.has_low() || !difference.has_high()) return text;
  const double worst = style.lower_is_better ? difference.high() : difference.low();
  const double best = style.lower_is_better ? difference.low() : difference.high();
  return text + fmt::format(" [{}{}, {}{}]", show(worst), scale.after_bound, show(best),
                            scale.after_bound);
}

std::string OverSamples(const OutcomeDifference& difference) {
  const std::string number = WithThousands(difference.num_samples());
  return difference.share() < 1 ? fmt::format("over {} of the samples that both have", number)
                                : fmt::format("over the {} samples that both have", number);
}

std::string DescribeDifferences(const supervisor::v1::GetRunResponse& run, const View& view) {
  Table table({"MODELS IN USE AGAINST", "MEASURE", "DIFFERENCE [95 %]", "SAMPLES", ""});
  bool is_known = false;
  std::set<std::string> missing;
  for (const OutcomeDifference& difference : run.outcomes().differences()) {
    if (!difference.missing().empty()) {
      missing.insert(fmt::format("{} on {} against {}: {}", Printable(difference.measure()),
                                 Printable(difference.dataset_name()),
                                 NameOfOther(difference.than()), Printable(difference.missing())));
      continue;
    }
    const MeasureStyle style = StyleOf(run, difference);
    table.Add(
        {NameOfOther(difference.than()),
         fmt::format("{} on {}", OneLine(difference.measure()), OneLine(difference.dataset_name())),
         ShowDifference(difference, style), WithThousands(difference.num_samples()),
         VerdictOf(difference, style)});
    is_known = true;
  }
  std::string text = is_known ? "\n" + table.ToString() : "";
  for (const std::string& why : missing) text += Wrapped("not compared: " + why, view, 0);
  return text;
}

ordered_json DifferencesToJson(
    const google::protobuf::RepeatedPtrField<OutcomeDifference>& differences) {
  ordered_json all = ordered_json::array();
  for (const OutcomeDifference& difference : differences) {
    ordered_json json = {{"evaluation", difference.evaluation()},
                         {"dataset", difference.dataset_name()},
                         {"measure", difference.measure()},
                         {"than", difference.than()}};
    if (!difference.missing().empty()) {
      json["missing"] = difference.missing();
      all.push_back(std::move(json));
      continue;
    }
    json["models"] = difference.models();
    json["other"] = difference.other();
    json["difference"] = difference.models() - difference.other();
    if (difference.has_low()) json["low"] = difference.low();
    if (difference.has_high()) json["high"] = difference.high();
    json["samples"] = difference.num_samples();
    json["share"] = difference.share();
    json["beyond_chance"] = IsBeyondChance(difference);
    all.push_back(std::move(json));
  }
  return all;
}

std::string DescribeImportances(const supervisor::v1::GetRunResponse& run, const View& view) {
  std::string text;
  for (const evaluator::v1::ColumnImportances& importances : run.outcomes().importances()) {
    if (!importances.missing().empty()) {
      text += Wrapped(
          fmt::format("which columns matter on {} is unknown: {}",
                      Printable(importances.dataset_name()), Printable(importances.missing())),
          view, 0);
    } else if (!importances.columns().empty()) {
      text += ImportanceTable(importances, view);
    }
  }
  return text;
}

ordered_json ImportancesToJson(const supervisor::v1::GetRunResponse& run) {
  ordered_json all = ordered_json::array();
  for (const evaluator::v1::ColumnImportances& importances : run.outcomes().importances()) {
    ordered_json json = {{"evaluation", importances.evaluation()},
                         {"dataset", importances.dataset_name()},
                         {"measure", importances.measure()},
                         {"trigger", importances.trigger()},
                         {"windows", importances.num_windows()},
                         {"samples", importances.num_samples()},
                         {"columns", ordered_json::array()},
                         {"columns_left_out", importances.num_columns_left_out()}};
    if (!importances.missing().empty()) json["missing"] = importances.missing();
    const double sign = results::LowerIsBetter(importances.measure()) ? -1 : 1;
    for (const evaluator::v1::ColumnImportance& column : importances.columns()) {
      ordered_json one = {{"column", column.column()},
                          {"intact", column.intact()},
                          {"exchanged", column.exchanged()},
                          {"loss", sign * (column.intact() - column.exchanged())}};
      if (column.has_low() && column.has_high()) {
        one["low"] = sign > 0 ? column.low() : -column.high();
        one["high"] = sign > 0 ? column.high() : -column.low();
        one["beyond_chance"] = IsBeyondChance(LossOf(column));
      }
      json["columns"].push_back(std::move(one));
    }
    all.push_back(std::move(json));
  }
  return all;
}

ordered_json FiguresToJson(const supervisor::v1::GetRunResponse& run) {
  ordered_json json = {{"calibration", ordered_json::array()},
                       {"roc", ordered_json::array()},
                       {"predicted_actual", ordered_json::array()}};
  for (const evaluator::v1::CalibrationCurve& curve : run.outcomes().calibrations()) {
    ordered_json bins = ordered_json::array();
    for (const evaluator::v1::CalibrationCurve::Bin& bin : curve.bins()) {
      bins.push_back({{"from", bin.from()},
                      {"to", bin.to()},
                      {"samples", bin.num_samples()},
                      {"probability", bin.probability()},
                      {"share", bin.share()}});
    }
    json["calibration"].push_back({{"evaluation", curve.evaluation()},
                                   {"dataset", curve.dataset_name()},
                                   {"of_class", curve.of_class()},
                                   {"error", curve.error()},
                                   {"samples", curve.num_samples()},
                                   {"bins", std::move(bins)}});
  }
  for (const evaluator::v1::RocCurve& curve : run.outcomes().roc_curves()) {
    ordered_json points = ordered_json::array();
    for (const evaluator::v1::RocCurve::Point& point : curve.points()) {
      points.push_back({point.false_positives(), point.true_positives(), point.threshold()});
    }
    json["roc"].push_back({{"evaluation", curve.evaluation()},
                           {"dataset", curve.dataset_name()},
                           {"of_class", curve.of_class()},
                           {"area", curve.area()},
                           {"samples", curve.num_samples()},
                           {"points", std::move(points)}});
  }
  for (const evaluator::v1::ValueGrid& grid : run.outcomes().value_grids()) {
    ordered_json cells = ordered_json::array();
    for (const evaluator::v1::ValueGrid::Cell& cell : grid.cells()) {
      cells.push_back({cell.truth(), cell.predicted(), cell.num_samples()});
    }
    json["predicted_actual"].push_back({{"evaluation", grid.evaluation()},
                                        {"dataset", grid.dataset_name()},
                                        {"from", grid.from()},
                                        {"to", grid.to()},
                                        {"parts", grid.num_parts()},
                                        {"samples", grid.num_samples()},
                                        {"beyond", grid.num_beyond()},
                                        {"cells", std::move(cells)}});
  }
  return json;
}

ordered_json DriftedColumnsToJson(const supervisor::v1::GetRunResponse& run) {
  ordered_json list = ordered_json::array();
  const Policies policies = PoliciesOf(run.pipeline_resolved());
  if (policies.empty()) return list;
  std::map<std::string, Looked> all;
  for (const Decision& decision : run.decisions()) {
    LookAt(decision, decision.verdict(), "", policies, all);
  }
  for (const auto& [place, looked] : all) {
    list.push_back({{"policy", place.empty() ? "drift" : place + ": drift"},
                    {"statistic", policies.at(place).statistic},
                    {"decisions", looked.num_decisions},
                    {"drifted", looked.num_drifted},
                    {"columns", ColumnsToJson(looked.columns)}});
  }
  return list;
}

}  // namespace tidemill::cli
