#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/numbers/thousands.h"
#include "base/printable.h"
#include "cli/command_line/action.h"
#include "cli/command_line/deletion.h"
#include "cli/command_line/set_flag.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/runs/commands.h"
#include "cli/pipelines/dataset_difference.h"
#include "cli/pipelines/default_pipeline.h"
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
  std::vector<std::string> set;
  int64_t max_triggers = 0;
  std::vector<std::string> tags;
  std::string note;
  bool promote = false;
  bool detach = false;
  bool full = false;
  bool new_dataset_version = false;
  bool replace_dataset = false;
  bool yes = false;  // Do not ask.

  storage::v1::OnOtherSpec OnOtherSpec() const {
    if (replace_dataset) return storage::v1::ON_OTHER_SPEC_REPLACE;
    return new_dataset_version ? storage::v1::ON_OTHER_SPEC_NEW_VERSION
                               : storage::v1::ON_OTHER_SPEC_UNSPECIFIED;
  }
};

int Detached(const GlobalFlags& flags, int64_t run) {
  if (flags.json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"run", run}, {"state", "running"}}).dump());
  } else {
    fmt::print("run {} continues; watch it with `tidemill watch {}`\n", run, run);
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
    ReportNonFatal(Annotate(folder.status(), "the run's directory is not written"));
  } else if (!flags.quiet) {
    PrintToStderr(fmt::format("report: {}\n", files::Join(*folder, "report.html")));
  }
  return code;
}

// Says which datasets get a new version, and asks before one is deleted. Returns the exit code when
// the answer is no.
std::optional<ExitCode> SettleDatasets(const GlobalFlags& flags, const RunFlags& run_flags,
                                       const Session& session,
                                       const supervisor::PipelineSpec& spec) {
  if (run_flags.OnOtherSpec() == storage::v1::ON_OTHER_SPEC_UNSPECIFIED) return std::nullopt;
  for (const auto& [name, dataset] : spec.datasets) {
    if (!dataset) continue;
    const std::optional<OtherDataset> other = FindOtherDataset(session, name, *dataset);
    if (!other) continue;
    if (!flags.quiet) {
      PrintToStderr(fmt::format("dataset {} gets a new version: {}\n", Printable(name),
                                Printable(other->difference)));
    }
    if (!run_flags.replace_dataset) continue;
    const std::string what = fmt::format(
        "the version of dataset {} with {} samples, but not the files, once the new one has been "
        "ingested",
        name, WithThousands(other->registered.num_samples()));
    const DeletionFlags deletion{.yes = run_flags.yes, .dry_run = false};
    if (const auto end = SettleDeletion(flags, deletion, what)) return end;
  }
  return std::nullopt;
}

// What is wrong with the flags together; empty: nothing.
std::string_view WhyNot(const RunFlags& flags) {
  if (flags.new_dataset_version && flags.replace_dataset) {
    return "--new-dataset-version keeps the dataset and --replace-dataset deletes it; give one";
  }
  if (flags.promote && flags.set.empty()) {
    return "--promote is for --set: the models of other runs answer for the pipeline anyway";
  }
  if (flags.yes && !flags.replace_dataset) return "--yes answers --replace-dataset only";
  return "";
}

// The pipeline that is named, else the default, about which a line is printed.
absl::StatusOr<PipelineFile> ReadPipeline(const GlobalFlags& flags, const std::string& named) {
  if (!named.empty()) return ReadPipelineFile(named);
  ASSIGN_OR_RETURN(const std::string path, DefaultPipelineFile());
  if (!flags.quiet) {
    PrintToStderr(fmt::format("no pipeline is named; running {}\n", Printable(path)));
  }
  return ReadPipelineFile(path);
}

int Run(const GlobalFlags& flags, const RunFlags& run_flags) {
  if (const std::string_view why = WhyNot(run_flags); !why.empty()) {
    return ReportUsage(std::string(why));
  }
  UsePluginSettings(flags);
  auto file = ReadPipeline(flags, run_flags.file);
  if (!file.ok()) return Report(file.status());
  file->overrides = OverridesOf(run_flags.set);
  const auto address = WithEnvironment(flags);
  if (!address.ok()) return Report(address.status());
  const bool remote = !address->config.empty() || !address->server.empty();
  file->data_elsewhere = remote;
  file->tags = run_flags.tags;
  file->note = run_flags.note;
  file->promote = run_flags.promote;
  supervisor::DiskFiles files = FilesOf(*file);
  const auto checked = CheckPipelineFile(*file, files);
  if (!flags.quiet) PrintWarnings(checked.warnings);
  if (!checked.problems.empty()) return ReportProblems(checked.problems, flags.json);
  const auto session = Session::AttachOrStart(flags, StartStackOf::kAnything, flags.quiet);
  if (!session.ok()) return Report(session.status());
  if (const auto end = SettleDatasets(flags, run_flags, *session, checked.value)) {
    LeaveStack(*session, flags.quiet);
    return *end;
  }
  const auto submitted =
      SubmitPipeline(*session, *file, files, run_flags.max_triggers, run_flags.OnOtherSpec());
  int code = kDone;
  if (!submitted.ok()) {
    code = Report(submitted.status());
  } else if (run_flags.detach) {
    code = Detached(flags, submitted->run_id());
  } else {
    if (!flags.quiet) {
      PrintToStderr(fmt::format("run {} of {} {}\n", submitted->run_id(),
                                submitted->pipeline_name(),
                                submitted->created() ? "started" : "continues"));
    }
    code = Follow(flags, *session, submitted->run_id(), run_flags.full);
  }
  const bool goes_on = code == kInterrupted || (submitted.ok() && run_flags.detach);
  if (goes_on && session->use() != nullptr) {
    // Without this command, until a user stops the stack.
    if (const absl::Status kept = session->use()->Keep(); !kept.ok()) ReportNonFatal(kept);
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
  run.AddOption("file", flags.file,
                "Pipeline file (YAML), - for standard input; without it, pipeline.yaml of this "
                "folder, or, where there is none, the quickstart")
      .TypeName("FILE");
  run.AddOption("--max-triggers", flags.max_triggers, "Fire at most this many triggers")
      .NonNegative();
  run.AddOption(
         "--tag", flags.tags,
         "Tag the run, for `runs list --tag`; may be repeated. A run that continues gets it, "
         "too")
      .TypeName("TAG")
      .OneEach();
  run.AddOption("--note", flags.note, "Write a note on the run").TypeName("TEXT").MayBeEmpty();
  AddSetFlag(run, flags.set);
  run.AddFlag(
      "--promote", flags.promote,
      "With --set: the models of this run answer for the pipeline. Without it, the run is a "
      "trial, and `predict` and `export` keep to the models that they had");
  run.AddFlag("--detach", flags.detach, "Return once the run has started");
  AddFullFlag(run, flags.full);
  run.AddFlag("--new-dataset-version", flags.new_dataset_version,
              "Where the stack has a dataset of the pipeline with another spec, register a new "
              "version; the one before it stays as NAME@NUMBER");
  run.AddFlag("--replace-dataset", flags.replace_dataset,
              "The same, and delete the one before it; asks at a terminal");
  run.AddFlag("-y,--yes", flags.yes, "Do not ask; without a terminal, the command never asks");
  SetAction(run, [](const GlobalFlags& global) { return Run(global, flags); });
  run.AddExample("tidemill run");
  run.AddExample("tidemill run pipeline.yaml");
  run.AddExample(
      "tidemill run pipeline.yaml --set training.optimizer.lr=1e-3 --set training.epochs=3");
  run.AddExample("tidemill run pipeline.yaml --set training.epochs=3 --promote");
  run.AddExample("tidemill run pipeline.yaml --detach --json");
  run.AddExample("tidemill run pipeline.yaml --new-dataset-version");
}

}  // namespace tidemill::cli
