#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/command_line/action.h"
#include "cli/command_line/deletion.h"
#include "cli/command_line/with_run.h"
#include "cli/commands/runs/annotations.h"
#include "cli/commands/runs/commands.h"
#include "cli/commands/runs/run_list.h"
#include "cli/commands/runs/run_places.h"
#include "cli/results/run_json.h"
#include "cli/results/run_report.h"
#include "cli/results/selections/selection_json.h"
#include "cli/results/selections/selection_report.h"
#include "cli/results/slices_table.h"
#include "cli/results/training_limit.h"
#include "cli/stack/session.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/views/watch.h"
#include "selector/client/selector_client.h"
#include "supervisor_client/model_use_client.h"
#include "supervisor_client/pool_client.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

using supervisor::SupervisorClient;

struct RunsFlags {
  std::string which;
  std::string other;
  bool slices = false;
  bool full = false;
  DeletionFlags deletion;
  bool even_in_use = false;
};

RunsFlags& FlagsOfRuns() {
  static RunsFlags flags;
  return flags;
}

// The selections, as far as the selector is within reach; why not goes to stderr.
std::vector<selector::v1::TrainingSet> SelectionsOf(const Session& session, int64_t run) {
  auto sets = FetchTrainingSets(session, run);
  if (sets.ok()) return *std::move(sets);
  fmt::print(stderr, "tidemill: cannot show the selections: {}\n",
             std::string(sets.status().message()));
  return {};
}

nlohmann::ordered_json WithSelections(const supervisor::v1::GetRunResponse& run,
                                      const std::vector<selector::v1::TrainingSet>& sets) {
  nlohmann::ordered_json json = RunToJson(run);
  json["selections"] = nlohmann::ordered_json::array();
  const std::vector<std::string> classes = ClassNamesOf(run);
  for (const auto& set : sets) json["selections"].push_back(SelectionToJson(set, classes));
  return json;
}

// Prints the first and the last ones of many, unless all are asked for.
void PrintSelections(const supervisor::v1::GetRunResponse& run,
                     std::vector<selector::v1::TrainingSet> sets) {
  const size_t size = sets.size();
  const bool all = FlagsOfRuns().full || size <= kMaxListed;
  if (!all) sets.erase(sets.begin() + kFirstListed, sets.end() - kLastListed);
  fmt::print("{}", DescribeSelections(run, sets));
  if (!all) fmt::print("  {} more selections; --full shows all\n", size - sets.size());
  fmt::print("\n");
}

int ShowRun(const GlobalFlags& flags, const Session& session, int64_t number) {
  const auto run = FetchRunWithEvents(session, number);
  if (!run.ok()) return Report(run.status());
  const auto sets = SelectionsOf(session, number);
  // A supervisor of an earlier version does not know.
  const auto places = session.Ask(&supervisor::PoolClient::ListPlacements, RunId{number});
  if (flags.json) {
    nlohmann::ordered_json json = WithSelections(*run, sets);
    if (places.ok()) json["placements"] = PlacesToJson(*places);
    fmt::print("{}\n", json.dump());
    return kDone;
  }
  if (!sets.empty()) PrintSelections(*run, sets);
  fmt::print("{}", DescribeRun(*run, ViewOf(STDOUT_FILENO, FlagsOfRuns().full)));
  const std::string where = places.ok() ? DescribePlaces(*places, Now().micros) : "";
  if (!where.empty()) fmt::print("\n{}", where);
  if (FlagsOfRuns().slices) {
    const std::string slices = DrawSlices(*run);
    fmt::print("\n{}", slices.empty() ? "no evaluation of this run has slices\n" : slices);
  }
  return kDone;
}

// The outcome of a trigger's training; empty before the training.
rpc::v1::TrainingResult ResultOf(const supervisor::v1::GetRunResponse& run, int64_t number) {
  for (const supervisor::v1::Trigger& trigger : run.triggers()) {
    if (trigger.number() == number) return trigger.result();
  }
  return {};
}

int ShowTrigger(const GlobalFlags& flags, const Session& session, int64_t number, int64_t trigger) {
  const auto run = FetchRunWithEvents(session, number);
  if (!run.ok()) return Report(run.status());
  const auto set = session.Ask(&selector::SelectorClient::GetTrainingSet, RunId{number}, trigger);
  if (!set.ok()) return Report(set.status());
  const auto classes = ClassNamesOf(*run);
  const rpc::v1::TrainingResult result = ResultOf(*run, trigger);
  if (flags.json) {
    nlohmann::ordered_json json = SelectionToJson(*set, classes);
    AddLimit(result, json);
    fmt::print("{}\n", json.dump());
    return kDone;
  }
  fmt::print("{}", DescribeSelection(*set, classes));
  const std::string limit = DescribeLimit(result);
  if (!limit.empty()) fmt::print("\ntraining: {}\n", Printable(limit));
  return kDone;
}

int ShowRunOrTrigger(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto place = FindRunTrigger(session, FlagsOfRuns().which);
    if (!place.ok()) return Report(place.status());
    return place->trigger ? ShowTrigger(flags, session, place->run, *place->trigger)
                          : ShowRun(flags, session, place->run);
  });
}

absl::StatusOr<selector::v1::CompareTrainingSetsRequest> ComparisonOf(const Session& session,
                                                                      const RunsFlags& flags) {
  ASSIGN_OR_RETURN(const RunTrigger first, FindTrigger(session, flags.which));
  ASSIGN_OR_RETURN(const RunTrigger second, FindTrigger(session, flags.other));
  selector::v1::CompareTrainingSetsRequest request;
  request.set_first_run_id(first.run);
  request.set_first_trigger(*first.trigger);
  request.set_second_run_id(second.run);
  request.set_second_trigger(*second.trigger);
  return request;
}

int Diff(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto request = ComparisonOf(session, FlagsOfRuns());
    if (!request.ok()) return Report(request.status());
    const auto comparison = session.Ask(&selector::SelectorClient::CompareTrainingSets, *request);
    if (!comparison.ok()) return Report(comparison.status());
    const auto run = FetchRunWithEvents(session, request->first_run_id());
    const auto classes = run.ok() ? ClassNamesOf(*run) : std::vector<std::string>();
    fmt::print("{}", flags.json ? ComparisonToJson(*comparison, classes).dump() + "\n"
                                : DescribeComparison(*comparison, classes));
    return kDone;
  });
}

int WatchOneRun(const GlobalFlags& flags) {
  return WithRun(flags, FlagsOfRuns().which, [&](const Session& session, int64_t run) -> int {
    return FollowRun(session, run, flags.quiet, flags.json, FlagsOfRuns().full);
  });
}

// Sends a command that takes a run id, and prints the run it answers with.
int Send(const GlobalFlags& flags,
         absl::StatusOr<supervisor::v1::Run> (SupervisorClient::*method)(RunId)) {
  return WithRun(flags, FlagsOfRuns().which, [&](const Session& session, int64_t number) -> int {
    const auto run = session.Ask(method, RunId{number});
    if (!run.ok()) return Report(run.status());
    if (flags.json) {
      fmt::print("{}\n", RunToJson(*run).dump());
    } else {
      const std::string state = StateName(run->state());
      fmt::print("run {}: {}\n", number,
                 InTone(state, ToneOfState(state), TakesColour(STDOUT_FILENO)));
    }
    return kDone;
  });
}

// "run 3 of weather (succeeded) with its 12 models and evaluations".
absl::StatusOr<std::string> WhatGoesWithRun(const Session& session, int64_t number) {
  const auto run = FetchRun(session, number);
  if (absl::IsNotFound(run.status())) return fmt::format("run {}, which does not exist", number);
  RETURN_IF_ERROR(run.status());
  const auto& triggers = run->triggers();
  const auto kept =
      std::count_if(triggers.begin(), triggers.end(), [](const supervisor::v1::Trigger& trigger) {
        return trigger.model_id() != 0 && !trigger.removed();
      });
  return fmt::format("run {} of {} ({}) with its {} models and its evaluations", number,
                     run->run().pipeline_name(), StateName(run->run().state()), kept);
}

// Takes the place from the model in use if it is one of the run.
absl::Status LetNoneOfRunAnswer(const Session& session, int64_t number) {
  const auto run = FetchRun(session, number);
  if (absl::IsNotFound(run.status())) return absl::OkStatus();
  RETURN_IF_ERROR(run.status());
  if (!run->has_model_in_use() || run->model_in_use().run_id() != number) return absl::OkStatus();
  return session.Ask(&supervisor::ModelUseClient::UseNoModel, run->run().pipeline_name());
}

int DeleteRun(const GlobalFlags& flags) {
  return WithRun(flags, FlagsOfRuns().which, [&](const Session& session, int64_t run) -> int {
    const auto what = WhatGoesWithRun(session, run);
    if (!what.ok()) return Report(what.status());
    if (const auto end = SettleDeletion(flags, FlagsOfRuns().deletion, *what)) return *end;
    if (FlagsOfRuns().even_in_use) {
      const absl::Status none = LetNoneOfRunAnswer(session, run);
      if (!none.ok()) return Report(none);
    }
    const auto existed = session.Ask(&SupervisorClient::DeleteRun, RunId{run});
    if (!existed.ok()) return Report(existed.status());
    if (flags.json) {
      fmt::print("{}\n", nlohmann::ordered_json({{"existed", *existed}}).dump());
    } else {
      fmt::print("run {} {}\n", run, *existed ? "deleted" : "did not exist");
    }
    return kDone;
  });
}

Command& AddRunVerb(Command& runs, const std::string& verb, const std::string& description) {
  Command& command = runs.AddSubcommand(verb, description);
  command.AddOption("run", FlagsOfRuns().which, kRunMeaning).Required().TypeName("RUN");
  return command;
}

}  // namespace

void AddRunsCommands(Command& app) {
  Command& runs = app.AddSubcommand("runs", "Executions of pipelines");
  runs.RequireSubcommand();
  AddRunListCommand(runs);
  Command& show = runs.AddSubcommand(
      "show",
      "Show the selections, triggers, matrix and result of a run, or one selection in full");
  show.AddOption("run", FlagsOfRuns().which, "A run, or a trigger of it such as 12/3 or latest/3")
      .Required()
      .TypeName("RUN");
  show.AddFlag("--slices", FlagsOfRuns().slices, "Show the values of slices, too");
  AddFullFlag(show, FlagsOfRuns().full);
  SetAction(show, ShowRunOrTrigger);
  show.AddExample("tidemill runs show 12");
  show.AddExample("tidemill runs show 12/3");
  show.AddExample("tidemill runs show 12 --slices --json");
  Command& diff = runs.AddSubcommand(
      "diff",
      "Compare two training sets: what is only in the first, only in the second, and in both");
  diff.AddOption("first", FlagsOfRuns().which, "A trigger of a run such as 12/3")
      .Required()
      .TypeName("RUN");
  diff.AddOption("second", FlagsOfRuns().other, "Another trigger, of a run on the same dataset")
      .Required()
      .TypeName("RUN");
  SetAction(diff, Diff);
  diff.AddExample("tidemill runs diff 12/3 13/3");
  Command& watch = AddRunVerb(runs, "watch", "Follow a run to its end");
  AddFullFlag(watch, FlagsOfRuns().full);
  SetAction(watch, WatchOneRun);
  watch.AddExample("tidemill runs watch 12");
  Command& stop = AddRunVerb(runs, "stop", "Stop a run; it can be resumed");
  SetAction(stop, [](const GlobalFlags& flags) { return Send(flags, &SupervisorClient::StopRun); });
  stop.AddExample("tidemill runs stop 12");
  Command& resume = AddRunVerb(runs, "resume", "Resume a stopped or failed run");
  SetAction(resume,
            [](const GlobalFlags& flags) { return Send(flags, &SupervisorClient::ResumeRun); });
  resume.AddExample("tidemill runs resume 12");
  Command& remove = AddRunVerb(runs, "delete",
                               "Delete a run with its models and evaluations; asks at a terminal");
  AddDeletionFlags(remove, FlagsOfRuns().deletion);
  remove.AddFlag("--even-in-use", FlagsOfRuns().even_in_use,
                 "Delete it although its pipeline has a model of it in use, which answers no more");
  SetAction(remove, DeleteRun);
  remove.AddExample("tidemill runs delete 12 --dry-run");
  AddAnnotationCommands(runs);
}

}  // namespace tidemill::cli
