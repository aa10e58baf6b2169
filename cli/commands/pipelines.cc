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

using SupervisorStub = supervisor::v1::SupervisorService::Stub;

std::string& Name() {
  static std::string name;
  return name;
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
    supervisor::v1::ListPipelinesResponse response;
    const absl::Status status = session.Call<supervisor::v1::SupervisorService>(
        "supervisor", &SupervisorStub::ListPipelines, supervisor::v1::ListPipelinesRequest(),
        &response);
    if (!status.ok()) return Report(status);
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    Table table({"PIPELINE", "RUNS", "LAST RUN", "DESCRIPTION"});
    for (const supervisor::v1::Pipeline& pipeline : response.pipelines()) {
      json.push_back(PipelineToJson(pipeline));
      table.Add({pipeline.name(), std::to_string(pipeline.num_runs()),
                 pipeline.has_last_run() ? StateName(pipeline.last_run().state()) : "<none>",
                 pipeline.description()});
    }
    fmt::print("{}", flags.json ? json.dump() + "\n" : table.ToString());
    return kDone;
  });
}

int ShowPipeline(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    supervisor::v1::GetPipelineRequest request;
    request.set_name(Name());
    supervisor::v1::GetPipelineResponse response;
    const absl::Status status = session.Call<supervisor::v1::SupervisorService>(
        "supervisor", &SupervisorStub::GetPipeline, request, &response);
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
absl::StatusOr<std::string> WhatGoesWithPipeline(const Session& session) {
  supervisor::v1::GetPipelineRequest request;
  request.set_name(Name());
  supervisor::v1::GetPipelineResponse response;
  const absl::Status status = session.Call<supervisor::v1::SupervisorService>(
      "supervisor", &SupervisorStub::GetPipeline, request, &response);
  if (absl::IsNotFound(status)) return fmt::format("pipeline {}, which does not exist", Name());
  RETURN_IF_ERROR(status);
  return fmt::format("pipeline {} with its {} runs, their models and evaluations", Name(),
                     response.pipeline().num_runs());
}

int DeletePipeline(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto what = WhatGoesWithPipeline(session);
    if (!what.ok()) return Report(what.status());
    if (const auto end = SettleDeletion(flags, Deletion(), *what)) return *end;
    supervisor::v1::DeletePipelineRequest request;
    request.mutable_command()->set_request_id(rpc::NewRequestId());
    request.set_name(Name());
    supervisor::v1::DeletePipelineResponse response;
    const absl::Status status = session.Call<supervisor::v1::SupervisorService>(
        "supervisor", &SupervisorStub::DeletePipeline, request, &response);
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
  SetAction(pipelines.AddSubcommand("list", "List pipelines"), ListPipelines);
  Command& show = pipelines.AddSubcommand("show", "Print a pipeline with every default filled in");
  show.AddOption("name", Name(), "Pipeline name").Required().TypeName("PIPELINE");
  SetAction(show, ShowPipeline);
  Command& remove = pipelines.AddSubcommand(
      "delete", "Delete a pipeline and its runs, never its datasets; asks at a terminal");
  remove.AddOption("name", Name(), "Pipeline name").Required().TypeName("PIPELINE");
  AddDeletionFlags(remove, Deletion());
  SetAction(remove, DeletePipeline);
}

}  // namespace tidemill::cli
