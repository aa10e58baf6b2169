#include "supervisor/plans/graph_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "supervisor/checks/tried_samples.h"
#include "transform/fitter.h"

namespace tidemill::supervisor {
namespace {

// Why no sample of the dataset was seen.
std::string WhyNotSeen(const CheckedPipeline& checked) {
  const std::string path = "datasets." + checked.value.preprocess.dataset;
  for (const NotLooked& dataset : checked.not_looked) {
    if (dataset.path == path) return dataset.reason;
  }
  return "no sample of the dataset was read";
}

// Why samples that were read cannot be run. Empty: they can.
std::string WhyNotRun(const TrainedOn& trained_on, const transform::Graph& graph) {
  if (trained_on.dataset.series) return "storage puts the rows of a series together";
  const std::vector<std::string> types = graph.op_types();
  const bool has_script = std::ranges::count(types, "torchscript") > 0;
  return has_script ? "the program of the op torchscript is not started here" : "";
}

absl::Status Measure(const TrainedOn& trained_on, GraphPlan& plan) {
  std::vector<batch::Batch> batches;
  for (const storage::TriedPart& part : trained_on.peek->parts) {
    ASSIGN_OR_RETURN(batch::Batch batch, BatchOf(part, trained_on.dataset));
    if (batch.num_rows() > 0) batches.push_back(std::move(batch));
  }
  if (batches.empty()) {
    plan.no_costs = "the files that were read hold no sample with a label";
    return absl::OkStatus();
  }
  transform::Fitter fitter(plan.running);
  ASSIGN_OR_RETURN(const transform::FittedState fitted, FitOn(batches, fitter));
  ASSIGN_OR_RETURN(const batch::Batch samples, batch::Concatenate(batches));
  ASSIGN_OR_RETURN(plan.costs, CompareCosts(plan.written, plan.running, samples, fitted));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GraphPlan> PlanGraph(const CheckedPipeline& checked) {
  TIDEMILL_CHECK(checked.problems.empty());
  using transform::Fusion;
  using transform::Graph;
  using transform::Rewriting;
  if (!checked.trained_on) {
    return FailedPrecondition("the dataset '{}' is only named here, and the stack has its spec",
                              checked.value.preprocess.dataset);
  }
  const TrainedOn& trained_on = *checked.trained_on;
  const transform::GraphSpec& spec = checked.value.preprocess.graph;
  ASSIGN_OR_RETURN(Graph written,
                   Graph::Build(spec, trained_on.schema, Fusion::kOn, Rewriting::kOff));
  ASSIGN_OR_RETURN(Graph running, Graph::Build(spec, trained_on.schema));
  GraphPlan plan{.written = std::move(written), .running = std::move(running)};
  plan.no_costs = trained_on.peek ? WhyNotRun(trained_on, plan.running) : WhyNotSeen(checked);
  if (!plan.no_costs.empty()) return plan;
  // A failure of the samples says nothing about the plan.
  const absl::Status status = Measure(trained_on, plan);
  if (!status.ok()) plan.no_costs = std::string(status.message());
  return plan;
}

}  // namespace tidemill::supervisor
