// tidemill run FILE
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "cli/command_line.h"
#include "cli/exit_codes.h"
#include "cli/pipeline_file.h"
#include "cli/run_directory/run_files.h"
#include "cli/run_report.h"
#include "cli/session.h"
#include "cli/text.h"
#include "cli/watch.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;

struct RunFlags {
  std::string file;
  int64_t max_triggers = 0;
  bool detach = false;
};

absl::StatusOr<v1::SubmitPipelineResponse> Submit(const Session& session, const PipelineFile& file,
                                                  const RunFlags& flags) {
  RETURN_IF_ERROR(session.AllowDataRoots(file.DataRoots()));
  v1::SubmitPipelineRequest request;
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  request.set_pipeline(file.text);
  request.set_file_name(file.name);
  request.set_base_folder(file.folder);
  for (const auto& [name, value] : file.variables) (*request.mutable_variables())[name] = value;
  request.set_max_triggers(flags.max_triggers);
  v1::SubmitPipelineResponse response;
  RETURN_IF_ERROR(session.Call<v1::SupervisorService>(
      "supervisor", &v1::SupervisorService::Stub::SubmitPipeline, request, &response));
  return response;
}

int Detached(const GlobalFlags& flags, int64_t run) {
  if (flags.json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"run", run}, {"state", "running"}}).dump());
  } else {
    fmt::print("run {} goes on; watch it with `tidemill watch {}`\n", run, run);
  }
  return kDone;
}

// Follows the run to its end and prints the result.
int Follow(const GlobalFlags& flags, const Session& session, int64_t run) {
  const int code = FollowRun(session, run, flags.quiet, flags.json);
  // A remote stack's run is pulled when it is wanted.
  if (code == kInterrupted || code == kUnreachable || session.remote()) return code;
  // The directory is a view that can be made again; failing to write it fails no run.
  if (const auto folder = PullRun(session, run, ""); !folder.ok()) {
    Report(Annotate(folder.status(), "the run's directory is not written"));
  } else if (!flags.quiet) {
    fmt::print(stderr, "report: {}\n", files::Join(*folder, "report.html"));
  }
  return code;
}

// Unknown counts as going on.
bool AnyRunGoesOn(const Session& session) {
  v1::ListRunsResponse response;
  const absl::Status status = session.Call<v1::SupervisorService>(
      "supervisor", &v1::SupervisorService::Stub::ListRuns, v1::ListRunsRequest(), &response);
  if (!status.ok()) return true;
  return std::any_of(response.runs().begin(), response.runs().end(),
                     [](const v1::Run& run) { return run.state() == v1::RUN_STATE_RUNNING; });
}

int Run(const GlobalFlags& flags, const RunFlags& run_flags) {
  const auto file = ReadPipelineFile(run_flags.file);
  if (!file.ok()) return Report(file.status());
  if (const auto checked = CheckPipelineFile(*file); !checked.problems.empty()) {
    return ReportProblems(checked.problems, flags.json);
  }
  const StackAddress address = WithEnvironment(flags);
  if (address.config.empty() && address.server.empty() && !flags.quiet) {
    if (const auto layout = LayoutOf(address.state); layout.ok() && !KeeperOf(*layout)) {
      fmt::print(stderr, "starting the stack in {}\n", layout->state_folder);
    }
  }
  const auto session = Session::AttachOrStart(address);
  if (!session.ok()) return Report(session.status());
  const auto submitted = Submit(*session, *file, run_flags);
  int code = kDone;
  if (!submitted.ok()) {
    code = Report(submitted.status());
  } else if (run_flags.detach) {
    return Detached(flags, submitted->run_id());
  } else {
    if (!flags.quiet) {
      fmt::print(stderr, "run {} of {} {}\n", submitted->run_id(), submitted->pipeline_name(),
                 submitted->created() ? "started" : "goes on");
    }
    code = Follow(flags, *session, submitted->run_id());
  }
  // What this command started it also ends, unless a run goes on without it.
  if (session->started() && code != kInterrupted) {
    if (AnyRunGoesOn(*session)) {
      fmt::print(stderr, "the stack stays up: other runs use it\n");
    } else {
      StopStack(session->layout()).IgnoreError();
    }
  }
  return code;
}

}  // namespace

void AddRunCommand(CLI::App& app) {
  CLI::App* run = app.add_subcommand(
      "run",
      "Run a pipeline to its end and print the accuracy matrix; starts a stack if none runs");
  static RunFlags flags;
  run->add_option("file", flags.file, "Pipeline file (YAML)")->required()->type_name("FILE");
  run->add_option("--max-triggers", flags.max_triggers, "Fire at most this many triggers")
      ->check(CLI::NonNegativeNumber);
  run->add_flag("--detach", flags.detach, "Return once the run has started");
  SetAction(*run, [](const GlobalFlags& global) { return Run(global, flags); });
}

}  // namespace tidemill::cli
