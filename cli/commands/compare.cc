#include "cli/commands/compare.h"

#include <cstdio>

#include "nlohmann/json.hpp"

#include "cli/command_line/action.h"
#include "cli/command_line/with_session.h"
#include "cli/results/comparison.h"
#include "cli/results/run_report.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {
namespace {

// A supervisor that does not tell the run's own pipeline tells its present one.
absl::Status CompletePipeline(const Session& session, supervisor::v1::GetRunResponse& run) {
  if (!run.pipeline_resolved().empty()) return absl::OkStatus();
  supervisor::v1::GetPipelineRequest request;
  request.set_name(run.run().pipeline_name());
  supervisor::v1::GetPipelineResponse response;
  RETURN_IF_ERROR(session.Call<supervisor::v1::SupervisorService>(
      "supervisor", &supervisor::v1::SupervisorService::Stub::GetPipeline, request, &response));
  run.set_pipeline_resolved(response.pipeline().spec());
  return absl::OkStatus();
}

int Compare(const GlobalFlags& flags, const std::vector<int64_t>& ids) {
  return WithSession(flags, [&](const Session& session) -> int {
    Runs runs;
    for (const int64_t id : ids) {
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
  static std::vector<int64_t> runs;
  compare.AddOption("runs", runs, "Run ids; each run is compared with the first one")
      .Required()
      .Expected(2, 16)
      .TypeName("RUN");
  SetAction(compare, [](const GlobalFlags& flags) { return Compare(flags, runs); });
}

}  // namespace tidemill::cli
