#include "cli/commands/run.h"

#include <cstdio>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "cli/command_line/action.h"
#include "cli/command_line/with_session.h"
#include "cli/pipelines/pipeline_file.h"
#include "cli/pipelines/submission.h"
#include "cli/results/run_report.h"
#include "cli/run_directory/run_files.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/view.h"
#include "cli/views/watch.h"

namespace tidemill::cli {
namespace {

struct RunFlags {
  std::string file;
  int64_t max_triggers = 0;
  bool detach = false;
  bool full = false;
};

int Detached(const GlobalFlags& flags, int64_t run) {
  if (flags.json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"run", run}, {"state", "running"}}).dump());
  } else {
    fmt::print("run {} goes on; watch it with `tidemill watch {}`\n", run, run);
  }
  return kDone;
}

// Follows the run to its end and prints the result.
int Follow(const GlobalFlags& flags, const Session& session, int64_t run, bool full) {
  const int code = FollowRun(session, run, flags.quiet, flags.json, full);
  // A remote stack's run is pulled when it is wanted.
  if (code == kInterrupted || code == kUnreachable || session.remote()) return code;
  // The directory is a view that can be made again; failing to write it fails no run.
  if (const auto folder = PullRun(session, run, ""); !folder.ok()) {
    Report(Annotate(folder.status(), "the run's directory is not written"));
  } else if (!flags.quiet) {
    SayAside(fmt::format("report: {}\n", files::Join(*folder, "report.html")));
  }
  return code;
}

int Run(const GlobalFlags& flags, const RunFlags& run_flags) {
  auto file = ReadPipelineFile(run_flags.file);
  if (!file.ok()) return Report(file.status());
  const StackAddress address = WithEnvironment(flags);
  const bool remote = !address.config.empty() || !address.server.empty();
  file->data_elsewhere = remote;
  supervisor::DiskFiles files = FilesOf(*file);
  const auto checked = CheckPipelineFile(*file, files);
  if (!flags.quiet) PrintWarnings(checked.warnings);
  if (!checked.problems.empty()) return ReportProblems(checked.problems, flags.json);
  const auto session = Session::AttachOrStart(flags, StartStackOf::kAnything, flags.quiet);
  if (!session.ok()) return Report(session.status());
  const auto submitted = SubmitPipeline(*session, *file, files, run_flags.max_triggers);
  int code = kDone;
  if (!submitted.ok()) {
    code = Report(submitted.status());
  } else if (run_flags.detach) {
    code = Detached(flags, submitted->run_id());
  } else {
    if (!flags.quiet) {
      SayAside(fmt::format("run {} of {} {}\n", submitted->run_id(), submitted->pipeline_name(),
                           submitted->created() ? "started" : "goes on"));
    }
    code = Follow(flags, *session, submitted->run_id(), run_flags.full);
  }
  const bool goes_on = code == kInterrupted || (submitted.ok() && run_flags.detach);
  if (goes_on && session->use() != nullptr) {
    // Without this command, and until somebody stops the stack.
    if (const absl::Status kept = session->use()->Keep(); !kept.ok()) Report(kept);
  } else {
    LeaveStack(*session, flags.quiet);
  }
  return code;
}

}  // namespace

void AddRunCommand(Command& app) {
  Command& run = app.AddSubcommand(
      "run",
      "Run a pipeline to its end and print the accuracy matrix; starts a stack if none runs");
  static RunFlags flags;
  run.AddOption("file", flags.file, "Pipeline file (YAML)").Required().TypeName("FILE");
  run.AddOption("--max-triggers", flags.max_triggers, "Fire at most this many triggers")
      .NonNegative();
  run.AddFlag("--detach", flags.detach, "Return once the run has started");
  AddFullFlag(run, flags.full);
  SetAction(run, [](const GlobalFlags& global) { return Run(global, flags); });
}

}  // namespace tidemill::cli
