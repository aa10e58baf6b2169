#include "supervisor/requests/submissions.h"

#include <chrono>
#include <string>
#include <vector>

#include "base/names.h"
#include "config/config.h"
#include "db/fencing.h"
#include "supervisor/requests/submission_check.h"

namespace tidemill::supervisor {
namespace {

// In a transaction: the pipeline, and a run of it with its first event.
absl::StatusOr<RunId> CreateRun(pqxx::work& work, const PipelineName& name,
                                const PipelineSpec& spec,
                                const v1::SubmitPipelineRequest& request) {
  const std::string text = config::Print(spec);
  const RunId run =
      InsertRun(work, SavePipeline(work, name, spec.description, text), text, request.pipeline());
  v1::RunEvent event;
  event.mutable_run_started()->set_max_triggers(request.max_triggers());
  event.mutable_run_started()->set_live(spec.live.has_value());
  for (std::string& plugin : AllRunsWith(spec.trigger)) {
    event.mutable_run_started()->add_plugins(std::move(plugin));
  }
  for (std::string& plugin : transform::AllRunsWith(spec.preprocess.graph)) {
    event.mutable_run_started()->add_plugins(std::move(plugin));
  }
  for (const models::Downsampling* const method : spec.training.downsampling->Methods()) {
    std::string plugin = method->RunsWith();
    if (!plugin.empty()) event.mutable_run_started()->add_plugins(std::move(plugin));
  }
  for (std::string& plugin : selector::AllRunsWith(spec.selection)) {
    event.mutable_run_started()->add_plugins(std::move(plugin));
  }
  for (const evaluator::EvaluationSpec& evaluation : spec.evaluation) {
    for (std::string& plugin : evaluation.RunsWith()) {
      event.mutable_run_started()->add_plugins(std::move(plugin));
    }
  }
  RunState state;
  state.Apply(event);
  const EventPlace first{.run = run, .run_epoch = 1, .sequence = 1};
  RETURN_IF_ERROR(AppendEvent(work, first, event, state).status());
  return run;
}

}  // namespace

absl::StatusOr<v1::SubmitPipelineResponse> Submissions::Submit(
    const v1::SubmitPipelineRequest& request) {
  RETURN_IF_ERROR(CheckedNamespace(request.namespace_()).status());
  ASSIGN_OR_RETURN(const PipelineSpec spec, Check(request));
  RETURN_IF_ERROR(RegisterDatasets(spec, request.command()));
  v1::SubmitPipelineResponse response;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    const std::string& id = request.command().request_id();
    ASSIGN_OR_RETURN(const auto answered, db::FindAnswer(work, kSchema, id));
    if (answered) {
      response.ParseFromString(*answered);
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(response, FindOrCreate(work, request, spec));
    return db::RememberAnswer(work, kSchema, id, response.SerializeAsString());
  }));
  ASSIGN_OR_RETURN(const RunRow run, runs_.Find({response.run_id()}));
  if (run.summary.state() == v1::RUN_STATE_STOPPED) {
    RETURN_IF_ERROR(control_.Resume(run.run_id).status());
  } else if (response.created()) {
    if (run.summary.state() == v1::RUN_STATE_RUNNING) conducted_.ConductIfIdle(run.run_id);
  }
  return response;
}

absl::StatusOr<PipelineSpec> Submissions::Check(const v1::SubmitPipelineRequest& request) {
  constexpr std::chrono::seconds kLongestWait{20};
  const auto place = checks_.Take(kLongestWait);
  if (!place.has_value()) {
    return ResourceExhausted(
        "{} submissions are being checked, which is all that the supervisor checks at the same "
        "time, and none has ended for {} s; try again later",
        kMostChecks, kLongestWait.count());
  }
  return CheckSubmission(request, downstream_);
}

absl::Status Submissions::RegisterDatasets(const PipelineSpec& spec,
                                           const rpc::v1::Command& command) {
  for (const auto& [name, dataset] : spec.datasets) {
    if (!dataset) continue;
    rpc::v1::Command registration;  // On behalf of whoever submits, and of no run yet.
    registration.set_request_id(command.request_id() + "/" + name);
    RETURN_IF_ERROR(
        downstream_.RegisterDataset(name, config::Print(*dataset), registration).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::SubmitPipelineResponse> Submissions::FindOrCreate(
    pqxx::work& work, const v1::SubmitPipelineRequest& request, const PipelineSpec& spec) {
  // The spec's name was checked with the spec.
  PipelineName name{.name_space = {}, .name = spec.name};
  ASSIGN_OR_RETURN(name.name_space, CheckedNamespace(request.namespace_()));
  v1::SubmitPipelineResponse response;
  response.set_pipeline_name(spec.name);
  const std::vector<RunRow> runs = ListRuns(work, name);
  if (!runs.empty()) {
    const RunRow& last = runs.front();
    const bool running = last.summary.state() == v1::RUN_STATE_RUNNING;
    const bool stopped = last.summary.state() == v1::RUN_STATE_STOPPED;
    if (last.spec == config::Print(spec) && (running || stopped)) {
      response.set_run_id(last.run_id.value);
      return response;
    }
    if (running) {
      return FailedPrecondition(
          "run {} of a different pipeline named {} is not finished; stop it or rename this one",
          last.run_id.value, spec.name);
    }
  }
  ASSIGN_OR_RETURN(const RunId run, CreateRun(work, name, spec, request));
  response.set_run_id(run.value);
  response.set_created(true);
  return response;
}

}  // namespace tidemill::supervisor
