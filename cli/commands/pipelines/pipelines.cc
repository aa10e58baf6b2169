#include <unistd.h>

#include <cstdio>

#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/command_line/action.h"
#include "cli/command_line/deletion.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/pipelines/commands.h"
#include "cli/results/run_json.h"
#include "cli/terminal/text.h"
#include "cli/terminal/view.h"
#include "config/printed/abridged.h"
#include "supervisor_client/model_use_client.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

using supervisor::SupervisorClient;

std::string& Name() {
  static std::string name;
  return name;
}

bool& EvenInUse() {
  static bool even_in_use = false;
  return even_in_use;
}

DeletionFlags& Deletion() {
  static DeletionFlags flags;
  return flags;
}

nlohmann::ordered_json PipelineToJson(const supervisor::v1::Pipeline& pipeline) {
  nlohmann::ordered_json json = {{"pipeline", pipeline.name()},
                                 {"description", pipeline.description()},
                                 {"runs", pipeline.num_runs()}};
  json["last_run"] =
      pipeline.has_last_run() ? RunToJson(pipeline.last_run()) : nlohmann::ordered_json(nullptr);
  return json;
}

int ListPipelines(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto listed = session.Ask(&SupervisorClient::ListPipelines, "");
    if (!listed.ok()) return Report(listed.status());
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    Table table({"PIPELINE", "RUNS", "LAST RUN", "DESCRIPTION"});
    for (const supervisor::v1::Pipeline& pipeline : listed->pipelines()) {
      json.push_back(PipelineToJson(pipeline));
      table.Add({pipeline.name(), std::to_string(pipeline.num_runs()),
                 pipeline.has_last_run() ? StateName(pipeline.last_run().state()) : "<none>",
                 pipeline.description()});
    }
    if (TakesColour(STDOUT_FILENO)) table.Paint(2, ToneOfState);
    fmt::print("{}", flags.json ? json.dump() + "\n" : table.ToString());
    return kDone;
  });
}

int ShowPipeline(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto pipeline = session.Ask(&SupervisorClient::GetPipeline, Name());
    if (!pipeline.ok()) return Report(pipeline.status());
    if (flags.json) {
      nlohmann::ordered_json json = PipelineToJson(*pipeline);
      json["spec"] = config::AbridgedDocument(pipeline->spec());
      fmt::print("{}\n", json.dump());
    } else {
      fmt::print("{}", Printable(config::AbridgedDocument(pipeline->spec())));
    }
    return kDone;
  });
}

// "pipeline weather with its 3 runs, their models and evaluations".
absl::StatusOr<std::string> WhatGoesWithPipeline(const Session& session) {
  const auto pipeline = session.Ask(&SupervisorClient::GetPipeline, Name());
  if (absl::IsNotFound(pipeline.status())) {
    return fmt::format("pipeline {}, which does not exist", Name());
  }
  RETURN_IF_ERROR(pipeline.status());
  return fmt::format("pipeline {} with its {} runs, their models and evaluations", Name(),
                     pipeline->num_runs());
}

int DeletePipeline(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto what = WhatGoesWithPipeline(session);
    if (!what.ok()) return Report(what.status());
    if (const auto end = SettleDeletion(flags, Deletion(), *what)) return *end;
    if (EvenInUse()) {
      const absl::Status none = session.Ask(&supervisor::ModelUseClient::UseNoModel, Name());
      if (!none.ok()) return Report(none);
    }
    const auto existed = session.Ask(&SupervisorClient::DeletePipeline, Name());
    if (!existed.ok()) return Report(existed.status());
    if (flags.json) {
      fmt::print("{}\n", nlohmann::ordered_json({{"existed", *existed}}).dump());
    } else {
      fmt::print("pipeline {} {}\n", Printable(Name()), *existed ? "deleted" : "did not exist");
    }
    return kDone;
  });
}

}  // namespace

void AddPipelinesCommands(Command& app) {
  Command& pipelines = app.AddSubcommand("pipelines", "Pipelines that were submitted");
  pipelines.RequireSubcommand();
  Command& list = pipelines.AddSubcommand("list", "List pipelines");
  SetAction(list, ListPipelines);
  list.AddExample("tidemill pipelines list");
  Command& show = pipelines.AddSubcommand("show", "Print a pipeline with every default filled in");
  show.AddOption("name", Name(), "Pipeline name").Required().TypeName("PIPELINE");
  SetAction(show, ShowPipeline);
  show.AddExample("tidemill pipelines show elec2");
  Command& remove = pipelines.AddSubcommand(
      "delete", "Delete a pipeline and its runs, never its datasets; asks at a terminal");
  remove.AddOption("name", Name(), "Pipeline name").Required().TypeName("PIPELINE");
  AddDeletionFlags(remove, Deletion());
  remove.AddFlag("--even-in-use", EvenInUse(),
                 "Delete it although it has a model in use, which answers no more");
  SetAction(remove, DeletePipeline);
  remove.AddExample("tidemill pipelines delete elec2 --dry-run");
  remove.AddExample("tidemill pipelines delete elec2 --even-in-use");
}

}  // namespace tidemill::cli
