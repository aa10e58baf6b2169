#include "cli/commands/pipelines.h"

#include <cstdio>

#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/command_line/action.h"
#include "cli/command_line/deletion.h"
#include "cli/command_line/with_session.h"
#include "cli/results/run_json.h"
#include "cli/terminal/text.h"
#include "config/abridged.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using Stub = v1::SupervisorService::Stub;

std::string& Name() {
  static std::string name;
  return name;
}

DeletionFlags& Deletion() {
  static DeletionFlags flags;
  return flags;
}

nlohmann::ordered_json PipelineToJson(const v1::Pipeline& pipeline) {
  nlohmann::ordered_json json = {{"pipeline", pipeline.name()},
                                 {"description", pipeline.description()},
                                 {"runs", pipeline.num_runs()}};
  json["last_run"] =
      pipeline.has_last_run() ? RunToJson(pipeline.last_run()) : nlohmann::ordered_json(nullptr);
  return json;
}

int List(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    v1::ListPipelinesResponse response;
    const absl::Status status = session.Call<v1::SupervisorService>(
        "supervisor", &Stub::ListPipelines, v1::ListPipelinesRequest(), &response);
    if (!status.ok()) return Report(status);
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    Table table({"PIPELINE", "RUNS", "LAST RUN", "DESCRIPTION"});
    for (const v1::Pipeline& pipeline : response.pipelines()) {
      json.push_back(PipelineToJson(pipeline));
      table.Add({pipeline.name(), std::to_string(pipeline.num_runs()),
                 pipeline.has_last_run() ? StateName(pipeline.last_run().state()) : "<none>",
                 pipeline.description()});
    }
    fmt::print("{}", flags.json ? json.dump() + "\n" : table.ToString());
    return kDone;
  });
}

int Show(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    v1::GetPipelineRequest request;
    request.set_name(Name());
    v1::GetPipelineResponse response;
    const absl::Status status =
        session.Call<v1::SupervisorService>("supervisor", &Stub::GetPipeline, request, &response);
    if (!status.ok()) return Report(status);
    if (flags.json) {
      nlohmann::ordered_json json = PipelineToJson(response.pipeline());
      json["spec"] = config::AbridgedDocument(response.pipeline().spec());
      fmt::print("{}\n", json.dump());
    } else {
      fmt::print("{}", Printable(config::AbridgedDocument(response.pipeline().spec())));
    }
    return kDone;
  });
}

// "pipeline weather with its 3 runs, their models and evaluations".
absl::StatusOr<std::string> WhatGoes(const Session& session) {
  v1::GetPipelineRequest request;
  request.set_name(Name());
  v1::GetPipelineResponse response;
  const absl::Status status =
      session.Call<v1::SupervisorService>("supervisor", &Stub::GetPipeline, request, &response);
  if (absl::IsNotFound(status)) return fmt::format("pipeline {}, which does not exist", Name());
  RETURN_IF_ERROR(status);
  return fmt::format("pipeline {} with its {} runs, their models and evaluations", Name(),
                     response.pipeline().num_runs());
}

int Delete(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto what = WhatGoes(session);
    if (!what.ok()) return Report(what.status());
    if (const auto end = SettleDeletion(flags, Deletion(), *what)) return *end;
    v1::DeletePipelineRequest request;
    request.mutable_command()->set_request_id(rpc::NewRequestId());
    request.set_name(Name());
    v1::DeletePipelineResponse response;
    const absl::Status status = session.Call<v1::SupervisorService>(
        "supervisor", &Stub::DeletePipeline, request, &response);
    if (!status.ok()) return Report(status);
    if (flags.json) {
      fmt::print("{}\n", nlohmann::ordered_json({{"existed", response.existed()}}).dump());
    } else {
      fmt::print("pipeline {} {}\n", Printable(Name()),
                 response.existed() ? "deleted" : "did not exist");
    }
    return kDone;
  });
}

}  // namespace

void AddPipelinesCommands(Command& app) {
  Command& pipelines = app.AddSubcommand("pipelines", "Pipelines that were submitted");
  pipelines.RequireSubcommand();
  SetAction(pipelines.AddSubcommand("list", "List pipelines"), List);
  Command& show = pipelines.AddSubcommand("show", "Print a pipeline with every default filled in");
  show.AddOption("name", Name(), "Pipeline name").Required().TypeName("PIPELINE");
  SetAction(show, Show);
  Command& remove = pipelines.AddSubcommand(
      "delete", "Delete a pipeline and its runs, never its datasets; asks at a terminal");
  remove.AddOption("name", Name(), "Pipeline name").Required().TypeName("PIPELINE");
  AddDeletionFlags(remove, Deletion());
  SetAction(remove, Delete);
}

}  // namespace tidemill::cli
