#include <cstdio>

#include "nlohmann/json.hpp"

#include "cli/command_line/action.h"
#include "cli/command_line/names.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/runs/commands.h"
#include "cli/commands/runs/comparison.h"
#include "cli/results/run_report.h"
#include "supervisor/client/supervisor_client.h"

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
    fmt::print("{}", flags.json ? ComparisonToJson(runs).dump() + "\n" : DescribeComparison(runs));
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
