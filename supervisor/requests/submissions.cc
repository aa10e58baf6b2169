#include "supervisor/requests/submissions.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/names.h"
#include "config/config.h"
#include "db/fencing.h"
#include "supervisor/checks/set_values.h"
#include "supervisor/model_use/model_use.h"
#include "supervisor/pipeline/pipeline_plugins.h"
#include "supervisor/requests/submission_check.h"
#include "supervisor/runs/run_annotations.h"

namespace tidemill::supervisor {
namespace {

v1::RunEvent StartedEvent(const PipelineSpec& spec, const v1::SubmitPipelineRequest& request,
                          const std::optional<rpc::v1::Prices>& prices) {
  v1::RunEvent event;
  v1::RunStarted& started = *event.mutable_run_started();
  started.set_max_triggers(request.max_triggers());
  started.set_live(spec.live.has_value());
  if (prices) *started.mutable_prices() = *prices;
  for (std::string& plugin : PluginsOf(spec)) started.add_plugins(std::move(plugin));
  for (SetValue& set : SetValuesOf(SourceOf(request))) {
    v1::SetValue& added = *started.add_set_values();
    added.set_key(std::move(set.key));
    added.set_value(std::move(set.value));
    if (set.was) added.set_was(*std::move(set.was));
    added.set_was_default(set.was_default);
  }
  if (request.has_in_sweep()) *started.mutable_in_sweep() = request.in_sweep();
  return event;
}

// What is wrong with the place of a submission in a sweep.
absl::Status CheckSweep(const v1::SubmitPipelineRequest& request, const PipelineSpec& spec) {
  if (!request.has_in_sweep()) return absl::OkStatus();
  RETURN_IF_ERROR(CheckName("sweep", request.in_sweep().sweep()));
  if (request.in_sweep().setting() < 1 || request.in_sweep().rung() < 1) {
    return InvalidArgument("the settings and rungs of sweep {} are numbered from 1",
                           request.in_sweep().sweep());
  }
  if (request.values_to_set_size() == 0 || request.promote()) {
    return InvalidArgument("a run of a sweep is a trial: it has values to set and is not promoted");
  }
  if (spec.live) {
    return InvalidArgument("pipeline {} is live, and a sweep is over runs that end", spec.name);
  }
  return absl::OkStatus();
}

// In a transaction: the pipeline, and a run of it with its first event.
absl::StatusOr<RunId> CreateRun(pqxx::work& work, const PipelineName& name,
                                const PipelineSpec& spec, const v1::SubmitPipelineRequest& request,
                                const std::optional<rpc::v1::Prices>& prices) {
  const std::string text = config::Print(spec);
  const bool is_trial = request.values_to_set_size() > 0 && !request.promote();
  const PipelineId pipeline = SavePipeline(work, name, spec.description, text);
  const RunId run = InsertRun(work, pipeline, text, request.pipeline(), is_trial);
  if (request.has_in_sweep()) PutIntoSweep(work, run, request.in_sweep());
  const v1::RunEvent event = StartedEvent(spec, request, prices);
  RunState state;
  state.Apply(event);
  const EventPlace first{.run = run, .run_epoch = 1, .sequence = 1};
  RETURN_IF_ERROR(AppendEvent(work, first, event, state).status());
  return run;
}

RunAnnotations AnnotationsOf(const v1::SubmitPipelineRequest& request) {
  RunAnnotations annotations{.added_tags = {request.tags().begin(), request.tags().end()}};
  if (!request.note().empty()) annotations.note = request.note();
  return annotations;
}

}  // namespace

absl::StatusOr<v1::SubmitPipelineResponse> Submissions::Submit(
    const v1::SubmitPipelineRequest& request) {
  RETURN_IF_ERROR(CheckedNamespace(request.namespace_()).status());
  if (request.promote() && request.values_to_set_size() == 0) {
    return InvalidArgument(
        "only a run with values to set can be promoted; there is no other trial");
  }
  const RunAnnotations annotations = AnnotationsOf(request);
  RETURN_IF_ERROR(CheckAnnotations(annotations));
  ASSIGN_OR_RETURN(const PipelineSpec spec, Check(request));
  RETURN_IF_ERROR(CheckSweep(request, spec));
  if (!prices_ && Needs(spec.trigger, &TriggerNeeds::prices)) {
    return InvalidArgument(
        "the trigger weighs money (`price: money`), but the system configuration of the supervisor "
        "has no section `prices`: add one and start the supervisor again, or write `price: "
        "processor_seconds`");
  }
  RETURN_IF_ERROR(RegisterDatasets(spec, request));
  v1::SubmitPipelineResponse response;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    const std::string& id = request.command().request_id();
    ASSIGN_OR_RETURN(const auto answered, db::FindAnswer(work, kSchema, id));
    if (answered) {
      response.ParseFromString(*answered);
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(response, FindOrCreate(work, request, spec));
    RETURN_IF_ERROR(AnnotateRun(work, {response.run_id()}, annotations));
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
        kMaxChecks, kLongestWait.count());
  }
  return CheckSubmission(request, downstream_, pool_);
}

absl::Status Submissions::RegisterDatasets(const PipelineSpec& spec,
                                           const v1::SubmitPipelineRequest& request) {
  const storage::v1::OnOtherSpec on_other_spec = request.on_other_spec();
  if (on_other_spec != storage::v1::ON_OTHER_SPEC_UNSPECIFIED) RETURN_IF_ERROR(CheckUnused(spec));
  for (const auto& [name, dataset] : spec.datasets) {
    if (!dataset) continue;
    rpc::v1::Command registration;  // On behalf of the submitter, and of no run yet.
    registration.set_request_id(request.command().request_id() + "/" + name);
    RETURN_IF_ERROR(
        downstream_.RegisterDataset(name, config::Print(*dataset), registration, on_other_spec)
            .status());
  }
  return absl::OkStatus();
}

absl::Status Submissions::CheckUnused(const PipelineSpec& spec) const {
  std::vector<RunId> unfinished;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    unfinished = UnfinishedRuns(work);
    return absl::OkStatus();
  }));
  for (const RunId id : unfinished) {
    const absl::StatusOr<RunRow> run = runs_.Find(id);
    if (absl::IsNotFound(run.status())) continue;  // Deleted since.
    RETURN_IF_ERROR(run.status());
    ASSIGN_OR_RETURN(const PipelineSpec used, config::ReadKept<PipelineSpec>(run->spec, spec.name));
    for (const auto& [name, dataset] : spec.datasets) {
      if (!used.datasets.contains(name)) continue;
      return FailedPrecondition(
          "run {0} is in progress and uses dataset {1}, which gets no new version meanwhile; wait "
          "for it, or stop it: tidemill stop {0}",
          id.value, name);
    }
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
  if (request.has_in_sweep()) {
    RETURN_IF_ERROR(FindOrCreateInSweep(work, request, spec, name, response));
    return response;
  }
  const std::vector<RunRow> runs = ListRuns(work, name);
  // Runs of sweeps are side by side with others.
  const auto found =
      std::ranges::find_if(runs, [](const RunRow& run) { return !run.summary.has_in_sweep(); });
  if (found != runs.end()) {
    const RunRow& last = *found;
    const bool running = last.summary.state() == v1::RUN_STATE_RUNNING;
    const bool stopped = last.summary.state() == v1::RUN_STATE_STOPPED;
    if (last.spec == config::Print(spec) && (running || stopped)) {
      if (request.promote() && last.summary.is_trial()) {
        Promote(work, last.run_id);
        NotePromoted(work, last.pipeline_id, last.run_id);
      }
      response.set_run_id(last.run_id.value);
      return response;
    }
    if (running) {
      return FailedPrecondition(
          "run {} of a different pipeline named {} is not finished; stop it or rename this one",
          last.run_id.value, spec.name);
    }
  }
  ASSIGN_OR_RETURN(const RunId run, CreateRun(work, name, spec, request, prices_));
  response.set_run_id(run.value);
  response.set_created(true);
  return response;
}

absl::Status Submissions::FindOrCreateInSweep(pqxx::work& work,
                                              const v1::SubmitPipelineRequest& request,
                                              const PipelineSpec& spec, const PipelineName& name,
                                              v1::SubmitPipelineResponse& response) {
  const v1::InSweep& place = request.in_sweep();
  if (const std::optional<RunRow> there = FindInSweep(work, name, place)) {
    if (there->spec != config::Print(spec)) {
      return FailedPrecondition(
          "run {} is setting {} of sweep {} at rung {} and has another pipeline",
          there->run_id.value, place.setting(), place.sweep(), place.rung());
    }
    response.set_run_id(there->run_id.value);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const RunId run, CreateRun(work, name, spec, request, prices_));
  response.set_run_id(run.value);
  response.set_created(true);
  return absl::OkStatus();
}

}  // namespace tidemill::supervisor
