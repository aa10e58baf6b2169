#include "cli/commands/runs.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/command_line/action.h"
#include "cli/command_line/deletion.h"
#include "cli/command_line/with_session.h"
#include "cli/results/run_json.h"
#include "cli/results/run_report.h"
#include "cli/results/selection_json.h"
#include "cli/results/selection_report.h"
#include "cli/results/slices_table.h"
#include "cli/stack/session.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/views/watch.h"
#include "tidemill/selector/v1/selector.grpc.pb.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {
namespace {

using SupervisorStub = supervisor::v1::SupervisorService::Stub;

struct RunsFlags {
  int64_t run = 0;
  // Of commands that take triggers, too.
  std::string which;
  std::string other;
  std::string pipeline;
  std::string only;
  bool slices = false;
  bool full = false;
  DeletionFlags deletion;
};

const std::vector<std::string>& States() {
  static const std::vector<std::string> states = {"running", "succeeded", "failed", "stopped"};
  return states;
}

RunsFlags& FlagsOfRuns() {
  static RunsFlags flags;
  return flags;
}

int ListRuns(const GlobalFlags& flags) {
  if (std::ranges::find(States(), flags.state) != States().end()) {
    fmt::print(
        stderr,
        "tidemill: --state names the folder of a stack; for {0} runs write --only {0}, for a "
        "folder of that name --state ./{0}\n",
        flags.state);
    return kUsage;
  }
  return WithSession(flags, [&](const Session& session) -> int {
    supervisor::v1::ListRunsRequest request;
    request.set_pipeline_name(FlagsOfRuns().pipeline);
    supervisor::v1::ListRunsResponse response;
    const absl::Status status = session.Call<supervisor::v1::SupervisorService>(
        "supervisor", &SupervisorStub::ListRuns, request, &response);
    if (!status.ok()) return Report(status);
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    Table table({"RUN", "PIPELINE", "STATE", "TRIGGERS", "SAMPLES", "STARTED"});
    for (const supervisor::v1::Run& run : response.runs()) {
      if (!FlagsOfRuns().only.empty() && StateName(run.state()) != FlagsOfRuns().only) continue;
      json.push_back(RunToJson(run));
      table.Add({std::to_string(run.run_id()), run.pipeline_name(), StateName(run.state()),
                 std::to_string(run.num_triggers()), WithThousands(run.num_samples()),
                 FormatTimestamp({run.started_at().seconds() * 1'000'000})});
    }
    fmt::print("{}", flags.json ? json.dump() + "\n" : table.ToString());
    return kDone;
  });
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

// Of many the first and the last ones, unless all are asked for.
void PrintSelections(const supervisor::v1::GetRunResponse& run,
                     std::vector<selector::v1::TrainingSet> sets) {
  const size_t size = sets.size();
  const bool all = FlagsOfRuns().full || size <= kMostListed;
  if (!all) sets.erase(sets.begin() + kFirstListed, sets.end() - kLastListed);
  fmt::print("{}", DescribeSelections(run, sets));
  if (!all) fmt::print("  {} more selections; --full shows all\n", size - sets.size());
  fmt::print("\n");
}

int ShowRun(const GlobalFlags& flags, const Session& session, int64_t number) {
  const auto run = FetchRunWithEvents(session, number);
  if (!run.ok()) return Report(run.status());
  const auto sets = SelectionsOf(session, number);
  if (flags.json) {
    fmt::print("{}\n", WithSelections(*run, sets).dump());
    return kDone;
  }
  if (!sets.empty()) PrintSelections(*run, sets);
  fmt::print("{}", DescribeRun(*run, ViewOf(STDOUT_FILENO, FlagsOfRuns().full)));
  if (FlagsOfRuns().slices) {
    const std::string slices = DrawSlices(*run);
    fmt::print("\n{}", slices.empty() ? "no evaluation of this run has slices\n" : slices);
  }
  return kDone;
}

// What limited the training of a trigger; empty where that is not known.
std::string VerdictOf(const supervisor::v1::GetRunResponse& run, int64_t number) {
  for (const supervisor::v1::Trigger& trigger : run.triggers()) {
    if (trigger.number() == number) return trigger.result().verdict();
  }
  return "";
}

int ShowTrigger(const GlobalFlags& flags, const Session& session, const SetName& name) {
  const auto run = FetchRunWithEvents(session, name.run);
  if (!run.ok()) return Report(run.status());
  selector::v1::GetTrainingSetRequest request;
  request.set_run_id(name.run);
  request.set_trigger(name.trigger);
  selector::v1::GetTrainingSetResponse response;
  const absl::Status status = session.Call<selector::v1::SelectorService>(
      "selector", &selector::v1::SelectorService::Stub::GetTrainingSet, request, &response);
  if (!status.ok()) return Report(status);
  const auto classes = ClassNamesOf(*run);
  const std::string verdict = VerdictOf(*run, name.trigger);
  if (flags.json) {
    nlohmann::ordered_json json = SelectionToJson(response.training_set(), classes);
    if (!verdict.empty()) json["verdict"] = verdict;
    fmt::print("{}\n", json.dump());
    return kDone;
  }
  fmt::print("{}", DescribeSelection(response.training_set(), classes));
  if (!verdict.empty()) fmt::print("\ntraining: {}\n", Printable(verdict));
  return kDone;
}

int ShowRunOrTrigger(const GlobalFlags& flags) {
  if (FlagsOfRuns().which.find('/') != std::string::npos) {
    return WithSession(flags, ParseSetName(FlagsOfRuns().which),
                       [&](const Session& session, const SetName& name) {
                         return ShowTrigger(flags, session, name);
                       });
  }
  const auto run = config::ParseCount(FlagsOfRuns().which);
  if (!run.ok()) {
    return Report(InvalidArgument("'{}' is neither RUN nor RUN/TRIGGER", FlagsOfRuns().which));
  }
  return WithSession(flags, [&](const Session& session) { return ShowRun(flags, session, *run); });
}

absl::StatusOr<selector::v1::CompareTrainingSetsRequest> ComparisonOf(const RunsFlags& flags) {
  ASSIGN_OR_RETURN(const SetName first, ParseSetName(flags.which));
  ASSIGN_OR_RETURN(const SetName second, ParseSetName(flags.other));
  selector::v1::CompareTrainingSetsRequest request;
  request.set_first_run_id(first.run);
  request.set_first_trigger(first.trigger);
  request.set_second_run_id(second.run);
  request.set_second_trigger(second.trigger);
  return request;
}

int Diff(const GlobalFlags& flags) {
  return WithSession(
      flags, ComparisonOf(FlagsOfRuns()), [&](const Session& session, const auto& request) -> int {
        selector::v1::CompareTrainingSetsResponse comparison;
        const absl::Status status = session.Call<selector::v1::SelectorService>(
            "selector", &selector::v1::SelectorService::Stub::CompareTrainingSets, request,
            &comparison);
        if (!status.ok()) return Report(status);
        const auto run = FetchRunWithEvents(session, request.first_run_id());
        const auto classes = run.ok() ? ClassNamesOf(*run) : std::vector<std::string>();
        fmt::print("{}", flags.json ? ComparisonToJson(comparison, classes).dump() + "\n"
                                    : DescribeComparison(comparison, classes));
        return kDone;
      });
}

int WatchOneRun(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    return FollowRun(session, FlagsOfRuns().run, flags.quiet, flags.json, FlagsOfRuns().full);
  });
}

// Sends a command that takes a run id, and prints the run it answers with.
template <typename Request, typename Response, typename Method>
int Send(const GlobalFlags& flags, const Session& session, Method method) {
  Request request;
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  request.set_run_id(FlagsOfRuns().run);
  Response response;
  const absl::Status status =
      session.Call<supervisor::v1::SupervisorService>("supervisor", method, request, &response);
  if (!status.ok()) return Report(status);
  if constexpr (requires { response.run(); }) {
    if (flags.json) {
      fmt::print("{}\n", RunToJson(response.run()).dump());
    } else {
      fmt::print("run {}: {}\n", FlagsOfRuns().run, StateName(response.run().state()));
    }
  } else if (flags.json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"existed", response.existed()}}).dump());
  } else {
    fmt::print("run {} {}\n", FlagsOfRuns().run, response.existed() ? "deleted" : "did not exist");
  }
  return kDone;
}

template <typename Request, typename Response, typename Method>
int Send(const GlobalFlags& flags, Method method) {
  return WithSession(flags, [&](const Session& session) {
    return Send<Request, Response>(flags, session, method);
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

int DeleteRun(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto what = WhatGoesWithRun(session, FlagsOfRuns().run);
    if (!what.ok()) return Report(what.status());
    if (const auto end = SettleDeletion(flags, FlagsOfRuns().deletion, *what)) return *end;
    return Send<supervisor::v1::DeleteRunRequest, supervisor::v1::DeleteRunResponse>(
        flags, session, &SupervisorStub::DeleteRun);
  });
}

Command& AddRunVerb(Command& runs, const std::string& verb, const std::string& description) {
  Command& command = runs.AddSubcommand(verb, description);
  command.AddOption("run", FlagsOfRuns().run, "Run id").Required().TypeName("RUN");
  return command;
}

}  // namespace

void AddRunsCommands(Command& app) {
  Command& runs = app.AddSubcommand("runs", "Executions of pipelines");
  runs.RequireSubcommand();
  Command& list = runs.AddSubcommand("list", "List runs, the newest first");
  list.AddOption("--pipeline", FlagsOfRuns().pipeline, "Only runs of this pipeline")
      .TypeName("PIPELINE");
  list.AddOption("--only", FlagsOfRuns().only, "Only runs in this state")
      .TypeName("STATE")
      .OneOf(States());
  SetAction(list, ListRuns);
  Command& show = runs.AddSubcommand(
      "show",
      "Show the selections, triggers, matrix and result of a run, or one selection in full");
  show.AddOption("run", FlagsOfRuns().which, "Run id, or a trigger of it such as 12/3")
      .Required()
      .TypeName("RUN");
  show.AddFlag("--slices", FlagsOfRuns().slices, "Show the values of slices, too");
  AddFullFlag(show, FlagsOfRuns().full);
  SetAction(show, ShowRunOrTrigger);
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
  Command& watch = AddRunVerb(runs, "watch", "Follow a run to its end");
  AddFullFlag(watch, FlagsOfRuns().full);
  SetAction(watch, WatchOneRun);
  SetAction(AddRunVerb(runs, "stop", "Stop a run; it can be resumed"),
            [](const GlobalFlags& flags) {
              return Send<supervisor::v1::StopRunRequest, supervisor::v1::StopRunResponse>(
                  flags, &SupervisorStub::StopRun);
            });
  SetAction(AddRunVerb(runs, "resume", "Go on with a stopped or failed run"),
            [](const GlobalFlags& flags) {
              return Send<supervisor::v1::ResumeRunRequest, supervisor::v1::ResumeRunResponse>(
                  flags, &SupervisorStub::ResumeRun);
            });
  Command& remove = AddRunVerb(runs, "delete",
                               "Delete a run with its models and evaluations; asks at a terminal");
  AddDeletionFlags(remove, FlagsOfRuns().deletion);
  SetAction(remove, DeleteRun);
}

}  // namespace tidemill::cli
