#include <cstdio>

#include "nlohmann/json.hpp"

#include "cli/command_line/action.h"
#include "cli/command_line/names.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/runs/commands.h"
#include "cli/commands/runs/comparison.h"
#include "cli/results/run_report.h"
#include "config/config.h"
#include "evaluator/client/evaluator_client.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

// A supervisor that does not tell the run's own pipeline tells its present one.
absl::Status CompletePipeline(const Session& session, supervisor::v1::GetRunResponse& run) {
  if (!run.pipeline_resolved().empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(
      const supervisor::v1::Pipeline pipeline,
      session.Ask(&supervisor::SupervisorClient::GetPipeline, run.run().pipeline_name()));
  run.set_pipeline_resolved(pipeline.spec());
  return absl::OkStatus();
}

int32_t NumEvaluations(const supervisor::v1::GetRunResponse& run) {
  const auto spec = config::ReadKept<supervisor::PipelineSpec>(run.pipeline_resolved(), "pipeline");
  return spec.ok() ? static_cast<int32_t>(spec->evaluation.size()) : 0;
}

absl::StatusOr<PairedRuns> PairWithFirst(const Session& session, const Runs& runs) {
  PairedRuns paired(1);
  for (size_t i = 1; i < runs.size(); ++i) {
    evaluator::v1::CompareRunsRequest request;
    request.set_run_id(runs[i].run().run_id());
    request.set_num_evaluations(NumEvaluations(runs[i]));
    request.set_other_run_id(runs.front().run().run_id());
    request.set_num_other_evaluations(NumEvaluations(runs.front()));
    ASSIGN_OR_RETURN(paired.emplace_back(),
                     session.Ask(&evaluator::EvaluatorClient::CompareRuns, request));
  }
  return paired;
}

int Compare(const GlobalFlags& flags, const std::vector<std::string>& names) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto ids = FindRuns(session, names);
    if (!ids.ok()) return Report(ids.status());
    Runs runs;
    for (const int64_t id : *ids) {
      auto run = FetchRun(session, id);
      if (!run.ok()) return Report(run.status());
      if (const auto status = CompletePipeline(session, *run); !status.ok()) return Report(status);
      runs.push_back(*std::move(run));
    }
    const auto paired = PairWithFirst(session, runs);
    if (!paired.ok()) return Report(paired.status());
    fmt::print("{}", flags.json ? ComparisonToJson(runs, *paired).dump() + "\n"
                                : DescribeComparison(runs, *paired));
    return kDone;
  });
}

}  // namespace

void AddCompareCommand(Command& app) {
  Command& compare = app.AddSubcommand("compare", "Show runs side by side");
  static std::vector<std::string> runs;
  compare.AddOption("runs", runs, "Runs; each run is compared with the first one")
      .Required()
      .Expected(2, 16)
      .TypeName("RUN");
  SetAction(compare, [](const GlobalFlags& flags) { return Compare(flags, runs); });
  compare.AddExample("tidemill compare 1 2");
  compare.AddExample("tidemill compare 1 2 3 --json");
}

}  // namespace tidemill::cli
