#include "cli/sweep/sweep_command.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/paths/output_file.h"
#include "cli/command_line/action.h"
#include "cli/command_line/set_flag.h"
#include "cli/command_line/with_session.h"
#include "cli/run_directory/sweep_page.h"
#include "cli/sweep/best_pipeline.h"
#include "cli/sweep/sweep_runner.h"
#include "cli/sweep/sweep_setup.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/terminal/view.h"
#include "supervisor_client/pool_client.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using Clock = std::chrono::steady_clock;

constexpr size_t kMostParallel = 64;

struct SweepFlags : SweepRequest {
  int64_t parallel = 0;  // 0: not given.
  bool starts_again = false;
  std::string best;
  std::string report;
};

// What is wrong with the flags together; empty: nothing.
std::string_view WhyNot(const SweepFlags& flags) {
  if (flags.set.empty() && flags.num_seeds == 0) {
    return "nothing is swept; write --set KEY=VALUE,VALUE or --seeds N";
  }
  if (flags.first_rung > 0 && !flags.halving) return "--first-rung is for --halving";
  return "";
}

// The trainings of a stack that is started for a sweep: a few for each processor. They wait for
// samples in turns, and those of one set share what is prepared.
size_t TrainingsOfNewStack(const SweepFlags& flags, size_t num_places) {
  constexpr size_t kPerProcessor = 4;
  if (flags.parallel > 0) return static_cast<size_t>(flags.parallel);
  const size_t processors = std::max(1U, std::thread::hardware_concurrency());
  return std::min({num_places, kPerProcessor * processors, kMostParallel});
}

// Tells a stack that this process starts how many trainings it runs at the same time, unless the
// user has told it.
void OfferTrainings(size_t count) {
  setenv(kTrainingsVariable, std::to_string(count).c_str(), /*overwrite=*/0);
}

// The slots that the members of the pool offer to trainings.
absl::StatusOr<size_t> CountSlots(const Session& session) {
  ASSIGN_OR_RETURN(const v1::GetPoolResponse pool, session.Ask(&supervisor::PoolClient::Get));
  size_t slots = 0;
  for (const v1::Member& member : pool.members()) {
    if (member.kind() != v1::MEMBER_KIND_TRAINER_SERVER) continue;
    if (member.state() != v1::MEMBER_STATE_ALIVE) continue;
    for (const v1::SlotOffer& offer : member.offer().slots()) {
      if (offer.device() != "fit") slots += static_cast<size_t>(std::max(offer.count(), 0));
    }
  }
  return slots;
}

// The trainings that the stack runs at the same time. A trainer server of a stack that has just
// started registers within a second or two.
absl::StatusOr<size_t> SlotsOf(const Session& session) {
  constexpr std::chrono::seconds kLongest{10};
  constexpr std::chrono::milliseconds kPause{50};
  const auto end = Clock::now() + kLongest;
  for (;;) {
    ASSIGN_OR_RETURN(const size_t slots, CountSlots(session));
    if (slots > 0 || Clock::now() > end) return slots;
    std::this_thread::sleep_for(kPause);
  }
}

// The runs that are in progress at the same time. Says where the stack trains fewer than asked for.
absl::StatusOr<size_t> ParallelOn(const Session& session, const SweepFlags& flags) {
  ASSIGN_OR_RETURN(const size_t slots, SlotsOf(session));
  if (flags.parallel == 0) return std::clamp<size_t>(slots, 1, kMostParallel);
  const auto asked = static_cast<size_t>(flags.parallel);
  if (asked > slots && !session.quiet()) {
    PrintToStderr(fmt::format(
        "the stack trains {} at the same time, so that of {} runs some wait; raise `cpu_slots` of "
        "its trainer server, or let the sweep start the stack\n",
        slots, asked));
  }
  return asked;
}

// The name of the sweep to continue or, with --new, of the next one.
absl::StatusOr<std::string> FindName(const Session& session, const SweepFlags& flags,
                                     const SweepSetup& setup) {
  std::string last = NameOfSweep(flags, setup, 1);
  for (int generation = 1;; ++generation) {
    const std::string name = NameOfSweep(flags, setup, generation);
    v1::ListRunsRequest request;
    request.set_sweep(name);
    request.set_limit(1);
    ASSIGN_OR_RETURN(const v1::ListRunsResponse runs,
                     session.Ask(&supervisor::SupervisorClient::FindRuns, request));
    if (runs.runs().empty()) return flags.starts_again ? name : last;
    last = name;
  }
}

absl::StatusOr<std::optional<PipelineWithValues>> BestPipelineOf(const SweepSetup& setup,
                                                                 const SweepResult& result) {
  const std::optional<size_t> best = BestOf(result);
  if (!best) return std::optional<PipelineWithValues>();
  const SettingResult& setting = result.settings[*best];
  const std::string remark =
      fmt::format("The best of {} settings in sweep {}: {} {}.", result.settings.size(),
                  result.name, result.measure, Measure(setting.value));
  ASSIGN_OR_RETURN(PipelineWithValues text,
                   WithValues(setup.file, result.plan.settings()[*best], remark));
  return std::optional(std::move(text));
}

// Where the page and the JSON of a sweep on this machine are kept.
std::string FolderOf(const Session& session, const SweepResult& result) {
  return files::Join(
      files::Join(files::Join(session.layout().state_folder, "sweeps"), result.pipeline),
      result.name);
}

absl::Status WriteBest(const SweepFlags& flags, const std::optional<PipelineWithValues>& best) {
  if (flags.best.empty()) return absl::OkStatus();
  if (!best) return FailedPrecondition("no setting has a value, so there is no best one to write");
  if (!best->keeps_text && !flags.best.starts_with('-')) {
    PrintToStderr(
        "the file has no line for a value, so the best pipeline is written with every key and "
        "without comments\n");
  }
  if (flags.best == "-") {
    fmt::print("{}", best->text);
    return absl::OkStatus();
  }
  return files::WriteOutput(flags.best, best->text);
}

// Writes the page, and says where it is.
absl::Status WritePage(const GlobalFlags& global, const SweepFlags& flags, const Session& session,
                       const SweepResult& result, const nlohmann::ordered_json& json) {
  std::string path = flags.report;
  if (path.empty()) {
    if (session.remote()) return absl::OkStatus();
    const std::string folder = FolderOf(session, result);
    RETURN_IF_ERROR(files::CreateFolder(folder));
    RETURN_IF_ERROR(files::WriteAtomically(files::Join(folder, "sweep.json"), json.dump()));
    path = files::Join(folder, "report.html");
  }
  RETURN_IF_ERROR(files::WriteOutput(path, SweepPage(json)));
  if (!global.quiet) PrintToStderr(fmt::format("report: {}\n", path));
  return absl::OkStatus();
}

int CodeOf(const SweepResult& result) {
  if (!BestOf(result)) return kFailed;
  const bool any_lost = std::ranges::any_of(result.settings, [](const SettingResult& setting) {
    return setting.fate == Fate::kFailed || setting.fate == Fate::kStopped;
  });
  return any_lost ? kPartial : kDone;
}

int Tell(const GlobalFlags& global, const SweepFlags& flags, const Session& session,
         const SweepSetup& setup, const SweepResult& result) {
  const auto best = BestPipelineOf(setup, result);
  if (!best.ok()) return Report(best.status());
  nlohmann::ordered_json json = SweepToJson(result);
  json["best_pipeline"] = *best ? nlohmann::ordered_json((*best)->text) : nullptr;
  if (global.json) {
    fmt::print("{}\n", json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else {
    fmt::print("{}", DescribeSweep(result, TakesColour(STDOUT_FILENO)));
  }
  if (const absl::Status written = WriteBest(flags, *best); !written.ok()) return Report(written);
  const absl::Status page = WritePage(global, flags, session, result, json);
  if (!page.ok() && !flags.report.empty()) return Report(page);
  if (!page.ok()) ReportNonFatal(Annotate(page, "the page of the sweep is not written"));
  return CodeOf(result);
}

int RunOn(const Session& session, const GlobalFlags& global, const SweepFlags& flags,
          SweepSetup& setup) {
  const auto begin = Clock::now();
  SweepResult result{.pipeline = setup.first.name, .file = setup.file.name, .plan = setup.plan};
  if (flags.halving) {
    auto halving = PlanHalving(session, flags, setup);
    if (!halving.ok()) return Report(halving.status());
    result.halving = *std::move(halving);
  }
  auto name = FindName(session, flags, setup);
  if (!name.ok()) return Report(name.status());
  result.name = *std::move(name);
  const auto parallel = ParallelOn(session, flags);
  if (!parallel.ok()) return Report(parallel.status());
  SweepProgress progress(IsTerminal(STDERR_FILENO), global.quiet);
  progress.Say(fmt::format("sweep {}: {} runs, {} at the same time", result.name,
                           setup.plan.num_places(), *parallel));
  SweepRunner runner(session,
                     {.file = setup.file,
                      .files = setup.files,
                      .measure = flags.measure,
                      .max_triggers = flags.max_triggers,
                      .parallel = *parallel},
                     progress, result);
  const absl::Status ended = runner.Run();
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (absl::IsCancelled(ended)) {
    progress.Say(std::string(ended.message()));
    return kInterrupted;
  }
  return ended.ok() ? Tell(global, flags, session, setup, result) : int{Report(ended)};
}

int Sweep(const GlobalFlags& global, const SweepFlags& flags) {
  if (const std::string_view why = WhyNot(flags); !why.empty()) {
    return ReportUsage(std::string(why));
  }
  UsePluginSettings(global);
  const auto address = WithEnvironment(global);
  if (!address.ok()) return Report(address.status());
  auto prepared = SetUpSweep(flags, !address->config.empty() || !address->server.empty());
  if (!prepared.status.ok()) return Report(prepared.status);
  if (!prepared.setup) return ReportProblems(prepared.problems, global.json);
  if (!global.quiet) PrintWarnings(prepared.setup->warnings);
  OfferTrainings(TrainingsOfNewStack(flags, prepared.setup->plan.num_places()));
  const auto session = Session::AttachOrStart(global, StartStackOf::kAnything, global.quiet);
  if (!session.ok()) return Report(session.status());
  const int code = RunOn(*session, global, flags, *prepared.setup);
  LeaveStack(*session, global.quiet);
  return code;
}

}  // namespace

void AddSweepCommand(Command& app) {
  Command& sweep = app.AddSubcommand(
      "sweep",
      "Run a pipeline with several values of its keys, side by side, and print the best setting");
  static SweepFlags flags;
  sweep.AddOption("file", flags.file, "Pipeline file (YAML)").Required().TypeName("FILE");
  AddSetFlag(sweep, flags.set,
             "Sweep over the values of a key, such as training.optimizer.lr=1e-3,1e-2 or "
             "model.hidden=[32],[64, 64]; may be given several times, for every combination");
  sweep
      .AddOption("--seeds", flags.num_seeds,
                 "Run each setting with this many values of training.seed, from that of the file "
                 "on; settings are compared by their mean")
      .Between(2, static_cast<int64_t>(kMaxSettings));
  sweep.AddFlag("--halving", flags.halving,
                "Give all settings a little effort, and double it for the better half until one "
                "is left: in triggers, or in epochs where the pipeline has one trigger");
  sweep
      .AddOption("--first-rung", flags.first_rung,
                 "With --halving: the triggers or epochs of the first round; chosen without it")
      .Between(1, 1'000'000);
  sweep
      .AddOption("--measure", flags.measure,
                 "Compare by this measure of the pipeline, such as accuracy; by default the "
                 "first one with a value")
      .TypeName("NAME");
  sweep
      .AddOption("--parallel", flags.parallel,
                 "Runs in progress at the same time; by default as many as the stack trains")
      .Between(1, static_cast<int64_t>(kMostParallel));
  sweep.AddOption("--max-triggers", flags.max_triggers, "Fire at most this many triggers in a run")
      .NonNegative();
  sweep.AddFlag("--new", flags.starts_again,
                "Run everything again; without it, the same command continues the sweep and takes "
                "the runs that it has");
  sweep.AddOption("--best", flags.best, "Write the pipeline with the best values; - for stdout")
      .TypeName("FILE");
  sweep
      .AddOption("--report", flags.report,
                 "Write the page here; without it, into the state folder of a local stack")
      .TypeName("FILE");
  SetAction(sweep, [](const GlobalFlags& global) { return Sweep(global, flags); });
  sweep.AddExample("tidemill sweep pipeline.yaml --set training.optimizer.lr=1e-3,1e-2 --seeds 3");
  sweep.AddExample(
      "tidemill sweep pipeline.yaml --set training.batch_size=16,32,64,128 --halving --best "
      "best.yaml");
}

}  // namespace tidemill::cli
