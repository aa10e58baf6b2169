// tidemill runs list|show|watch|stop|resume|delete
#include <unistd.h>

#include <cstdio>

#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/command_line.h"
#include "cli/exit_codes.h"
#include "cli/run_json.h"
#include "cli/run_report.h"
#include "cli/session.h"
#include "cli/slices_table.h"
#include "cli/text.h"
#include "cli/watch.h"
#include "cli/with_session.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using Stub = v1::SupervisorService::Stub;

struct RunsFlags {
  int64_t run = 0;
  std::string pipeline;
  bool slices = false;
};

RunsFlags& Flags() {
  static RunsFlags flags;
  return flags;
}

int List(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    v1::ListRunsRequest request;
    request.set_pipeline_name(Flags().pipeline);
    v1::ListRunsResponse response;
    const absl::Status status =
        session.Call<v1::SupervisorService>("supervisor", &Stub::ListRuns, request, &response);
    if (!status.ok()) return Report(status);
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    Table table({"RUN", "PIPELINE", "STATE", "TRIGGERS", "SAMPLES", "STARTED"});
    for (const v1::Run& run : response.runs()) {
      json.push_back(RunToJson(run));
      table.Add({std::to_string(run.run_id()), run.pipeline_name(), StateName(run.state()),
                 std::to_string(run.num_triggers()), WithThousands(run.num_samples()),
                 FormatTimestamp({run.started_at().seconds() * 1'000'000})});
    }
    fmt::print("{}", flags.json ? json.dump() + "\n" : table.ToString());
    return kDone;
  });
}

int Show(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto run = FetchRun(session, Flags().run);
    if (!run.ok()) return Report(run.status());
    fmt::print("{}", flags.json ? RunToJson(*run).dump() + "\n"
                                : DescribeRun(*run, IsTerminal(STDOUT_FILENO)));
    if (Flags().slices && !flags.json) {
      const std::string slices = DrawSlices(*run);
      fmt::print("\n{}", slices.empty() ? "no evaluation of this run has slices\n" : slices);
    }
    return kDone;
  });
}

int Watch(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    return FollowRun(session, Flags().run, flags.quiet, flags.json);
  });
}

// Sends a command that takes a run id, and prints the run it answers with.
template <typename Request, typename Response, typename Method>
int Send(const GlobalFlags& flags, Method method) {
  return WithSession(flags, [&](const Session& session) -> int {
    Request request;
    request.mutable_command()->set_request_id(rpc::NewRequestId());
    request.set_run_id(Flags().run);
    Response response;
    const absl::Status status =
        session.Call<v1::SupervisorService>("supervisor", method, request, &response);
    if (!status.ok()) return Report(status);
    if constexpr (requires { response.run(); }) {
      if (flags.json) {
        fmt::print("{}\n", RunToJson(response.run()).dump());
      } else {
        fmt::print("run {}: {}\n", Flags().run, StateName(response.run().state()));
      }
    } else if (flags.json) {
      fmt::print("{}\n", nlohmann::ordered_json({{"existed", response.existed()}}).dump());
    } else {
      fmt::print("run {} {}\n", Flags().run, response.existed() ? "deleted" : "was not there");
    }
    return kDone;
  });
}

CLI::App* AddVerb(CLI::App& runs, const std::string& verb, const std::string& description) {
  CLI::App* command = runs.add_subcommand(verb, description);
  command->add_option("run", Flags().run, "Run id")->required()->type_name("RUN");
  return command;
}

}  // namespace

void AddRunsCommands(CLI::App& app) {
  CLI::App* runs = app.add_subcommand("runs", "Executions of pipelines");
  runs->require_subcommand(1);
  CLI::App* list = runs->add_subcommand("list", "List runs, the newest first");
  list->add_option("--pipeline", Flags().pipeline, "Only runs of this pipeline")
      ->type_name("PIPELINE");
  SetAction(*list, List);
  CLI::App* show = AddVerb(*runs, "show", "Show triggers, matrix and result of a run");
  show->add_flag("--slices", Flags().slices, "Show the values of slices, too");
  SetAction(*show, Show);
  SetAction(*AddVerb(*runs, "watch", "Follow a run to its end"), Watch);
  SetAction(*AddVerb(*runs, "stop", "Stop a run; it can be resumed"), [](const GlobalFlags& flags) {
    return Send<v1::StopRunRequest, v1::StopRunResponse>(flags, &Stub::StopRun);
  });
  SetAction(*AddVerb(*runs, "resume", "Go on with a stopped or failed run"),
            [](const GlobalFlags& flags) {
              return Send<v1::ResumeRunRequest, v1::ResumeRunResponse>(flags, &Stub::ResumeRun);
            });
  SetAction(*AddVerb(*runs, "delete", "Delete a run with its models and evaluations"),
            [](const GlobalFlags& flags) {
              return Send<v1::DeleteRunRequest, v1::DeleteRunResponse>(flags, &Stub::DeleteRun);
            });
}

}  // namespace tidemill::cli
