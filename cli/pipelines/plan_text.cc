#include "cli/pipelines/plan_text.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "base/numbers/thousands.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;
using supervisor::GraphPlan;
using transform::CostComparison;
using transform::GraphCosts;
using transform::OpCost;

// The stage, from 1, of each op by its place as written; 0 for an op that is left out.
std::vector<int> StagesOf(const transform::Graph& graph) {
  std::vector<int> stages(graph.op_types().size());
  int number = 0;
  for (const auto& [first, count] : graph.stages()) {
    ++number;
    for (int place = first; place < first + count; ++place) stages[graph.order()[place]] = number;
  }
  return stages;
}

std::string TimeText(double microseconds) { return fmt::format("{:.4g}", microseconds); }

std::string BytesText(double bytes) { return WithThousands(static_cast<int64_t>(bytes + 0.5)); }

std::string DescribeOps(std::string_view title, const transform::Graph& graph,
                        const GraphCosts* costs) {
  std::vector<std::string> header = {std::string(title), "STAGE"};
  if (costs != nullptr) header.insert(header.end(), {"US/SAMPLE", "BYTES IN", "BYTES OUT"});
  Table table(std::move(header));
  const std::vector<std::string> types = graph.op_types();
  const std::vector<int> stages = StagesOf(graph);
  for (const int i : graph.order()) {
    std::vector<std::string> row = {fmt::format("{} {}", i + 1, OneLine(types[i])),
                                    std::to_string(stages[i])};
    if (costs != nullptr) {
      const OpCost& op = costs->ops[i];
      row.insert(row.end(),
                 {TimeText(op.microseconds), BytesText(op.bytes_read), BytesText(op.bytes_made)});
    }
    table.Add(std::move(row));
  }
  return table.ToString();
}

std::string DescribeCosts(const CostComparison& costs, const View& view) {
  Table table({"US/SAMPLE", "PREDICTED", "MEASURED"});
  for (const auto& [name, graph] :
       {std::pair("as written", &costs.written), std::pair("as it runs", &costs.running)}) {
    table.Add(
        {name, TimeText(graph->predicted_microseconds), TimeText(graph->measured_microseconds)});
  }
  const std::string how = fmt::format(
      "Medians of {} rounds in turn, on one thread of this machine, over a block of {} rows made "
      "of "
      "{} samples of the dataset. The prediction adds up what the ops take as written; where an op "
      "runs elsewhere, its time is scaled by the bytes that it reads and makes. An op that decodes "
      "smaller images counts with what it takes.",
      costs.num_rounds, WithThousands(costs.block_rows), WithThousands(costs.num_samples));
  return fmt::format("{}\n{}", table.ToString(), Wrapped(how, view, 0));
}

std::string_view NameOf(transform::RewriteKind kind) {
  switch (kind) {
    case transform::RewriteKind::kRemoved:
      return "left out";
    case transform::RewriteKind::kMoved:
      return "moved";
    case transform::RewriteKind::kReduced:
      return "reduced";
    case transform::RewriteKind::kStays:
      return "stays";
  }
  return "";
}

ordered_json ColumnsToJson(const std::vector<transform::ColumnSchema>& columns) {
  ordered_json json = ordered_json::array();
  for (const transform::ColumnSchema& column : columns) {
    json.push_back({{"column", column.name},
                    {"dtype", transform::Describe(column.type)},
                    {"shape", column.shape}});
  }
  return json;
}

// An op as one of the two graphs has it.
ordered_json OpToJson(const transform::OpColumns& columns, int stage, const OpCost* cost) {
  ordered_json json = {{"stage", stage},
                       {"reads", ColumnsToJson(columns.reads)},
                       {"makes", ColumnsToJson(columns.makes)},
                       {"cost", nullptr}};
  if (cost != nullptr) {
    json["cost"] = {{"microseconds", cost->microseconds},
                    {"bytes_in", cost->bytes_read},
                    {"bytes_out", cost->bytes_made}};
  }
  return json;
}

ordered_json OpsToJson(const transform::Graph& graph, const GraphCosts* costs) {
  ordered_json json = ordered_json::array();
  const std::vector<std::string> types = graph.op_types();
  const std::vector<transform::OpColumns> columns = graph.op_columns();
  const std::vector<int> stages = StagesOf(graph);
  for (const int i : graph.order()) {
    ordered_json op = {{"op", i + 1}, {"type", types[i]}};
    op.update(OpToJson(columns[i], stages[i], costs == nullptr ? nullptr : &costs->ops[i]));
    json.push_back(std::move(op));
  }
  return json;
}

ordered_json CostsToJson(const CostComparison& costs) {
  const auto graph = [](const GraphCosts& of) -> ordered_json {
    return {{"predicted_microseconds", of.predicted_microseconds},
            {"measured_microseconds", of.measured_microseconds}};
  };
  return {{"samples", costs.num_samples},
          {"block_rows", costs.block_rows},
          {"rounds", costs.num_rounds},
          {"as_written", graph(costs.written)},
          {"as_it_runs", graph(costs.running)}};
}

}  // namespace

std::string DescribePlan(const GraphPlan& plan, const View& view) {
  const CostComparison* const costs = plan.costs ? &*plan.costs : nullptr;
  std::string text =
      DescribeOps("AS WRITTEN", plan.written, costs == nullptr ? nullptr : &costs->written);
  text += '\n';
  text += DescribeOps("AS IT RUNS", plan.running, costs == nullptr ? nullptr : &costs->running);
  text += '\n';
  for (const transform::Rewrite& rewrite : plan.running.rewrites()) {
    text += Wrapped(OneLine(rewrite.reason), view, 0);
  }
  if (plan.running.rewrites().empty()) text += "The graph runs as it is written.\n";
  text += '\n';
  if (costs != nullptr) return text + DescribeCosts(*costs, view);
  return text + Wrapped(Printable("No cost was measured: " + plan.no_costs), view, 0);
}

ordered_json PlanToJson(const GraphPlan& plan) {
  const CostComparison* const costs = plan.costs ? &*plan.costs : nullptr;
  ordered_json json;
  json["as_written"] = OpsToJson(plan.written, costs == nullptr ? nullptr : &costs->written);
  json["as_it_runs"] = OpsToJson(plan.running, costs == nullptr ? nullptr : &costs->running);
  json["rewrites"] = ordered_json::array();
  for (const transform::Rewrite& rewrite : plan.running.rewrites()) {
    ordered_json& added = json["rewrites"].emplace_back();
    added = {{"op", rewrite.op + 1}, {"what", NameOf(rewrite.kind)}};
    added["beside"] = rewrite.beside < 0 ? ordered_json(nullptr) : ordered_json(rewrite.beside + 1);
    added["reason"] = rewrite.reason;
  }
  json["cost"] = costs == nullptr ? ordered_json(nullptr) : CostsToJson(*costs);
  json["no_cost"] = costs == nullptr ? ordered_json(plan.no_costs) : ordered_json(nullptr);
  return json;
}

}  // namespace tidemill::cli
