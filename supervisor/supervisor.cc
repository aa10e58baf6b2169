#include "supervisor/supervisor.h"

#include <utility>

#include "base/log.h"
#include "base/names.h"
#include "db/fencing.h"
#include "supervisor/decisions/decisions_table.h"
#include "supervisor/measuring/evaluation_values.h"
#include "supervisor/measuring/live_windows.h"
#include "supervisor/measuring/windows.h"
#include "supervisor/pipeline/pipeline_check.h"
#include "supervisor/pipeline/torchscript_file.h"
#include "supervisor/runs/run_history.h"
#include "supervisor/runs/sent_files.h"

namespace tidemill::supervisor {
namespace {

constexpr char kSchema[] = "supervisor";
// Of a run with more only those that fired are shown with it.
constexpr int64_t kMostDecisions = 10'000;

// Only storage opens data files: it knows which may be read.
absl::StatusOr<DatasetPeek> PeekThroughStorage(Downstream& downstream,
                                               const storage::DatasetSpec& dataset) {
  ASSIGN_OR_RETURN(auto seen, downstream.PeekDataset(config::Print(dataset)));
  DatasetPeek peek{.files_known = true, .first = std::nullopt, .head = {}};
  if (seen.has_first_file()) peek.first = seen.first_file();
  peek.head = std::move(*seen.mutable_head());
  return peek;
}

void AddComposites(const PipelineSpec& spec, const RunState& state,
                   const std::vector<evaluator::v1::Evaluation>& values,
                   v1::GetRunResponse& response) {
  for (size_t i = 0; i < spec.evaluation.size(); ++i) {
    const auto dataset = state.datasets().find(spec.evaluation[i].dataset);
    if (dataset == state.datasets().end()) continue;
    std::vector<evaluator::v1::Evaluation> own;
    for (const auto& value : values) {
      if (value.evaluation() == static_cast<int32_t>(i)) own.push_back(value);
    }
    const auto measured = MeasuredPart(state, spec, dataset->first);
    if (!measured.ok()) continue;
    const Composites composites =
        MakeComposites(spec.evaluation[i], *measured, StoredTriggers(state), own);
    for (const v1::CompositeValue& value : composites.active) *response.add_active() = value;
    for (const v1::CompositeValue& value : composites.trained) *response.add_trained() = value;
  }
}

}  // namespace

Supervisor::Supervisor(db::Database& database, DownstreamFactory connect,
                       DownstreamFactory connect_briefly)
    : database_(database), connect_(std::move(connect)), downstream_(connect_briefly({})) {}

absl::Status Supervisor::Recover() {
  std::vector<RunId> runs;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    runs = UnfinishedRuns(work);
    return absl::OkStatus();
  }));
  for (const RunId run : runs) ConductIfIdle(run);
  return absl::OkStatus();
}

void Supervisor::Shutdown() {
  std::map<RunId, Conducted> ended;
  {
    MutexLock lock(mutex_);
    ended.swap(conducted_);
  }
  for (auto& [run, conducted] : ended) conducted.conductor->Stop();
}

void Supervisor::Conduct(RunId run, std::shared_ptr<RunFeed> feed) {
  if (feed == nullptr) feed = std::make_shared<RunFeed>();
  std::vector<Conducted> finished;  // Threads end without the lock.
  MutexLock lock(mutex_);
  ConductLocked(run, std::move(feed), finished);
}

void Supervisor::ConductIfIdle(RunId run) {
  std::vector<Conducted> finished;
  MutexLock lock(mutex_);
  if (!conducted_.contains(run)) ConductLocked(run, std::make_shared<RunFeed>(), finished);
}

void Supervisor::ConductLocked(RunId run, std::shared_ptr<RunFeed> feed,
                               std::vector<Conducted>& finished) {
  for (auto it = conducted_.begin(); it != conducted_.end();) {
    if (it->second.conductor != nullptr && it->second.conductor->finished()) {
      finished.push_back(std::move(it->second));
      it = conducted_.erase(it);
    } else {
      ++it;
    }
  }
  ended_.erase(run);
  Conducted& conducted = conducted_[run];
  conducted.feed = feed;
  conducted.conductor = std::make_unique<Conductor>(database_, connect_, run, std::move(feed));
}

std::shared_ptr<RunFeed> Supervisor::EndConductor(RunId run) {
  Conducted ended;
  {
    MutexLock lock(mutex_);
    const auto it = conducted_.find(run);
    if (it == conducted_.end()) return nullptr;
    ended = std::move(it->second);
    conducted_.erase(it);
  }
  return ended.feed;
}

absl::StatusOr<v1::SubmitPipelineResponse> Supervisor::Submit(
    const v1::SubmitPipelineRequest& request) {
  RETURN_IF_ERROR(CheckedNamespace(request.namespace_()).status());
  ASSIGN_OR_RETURN(PipelineSpec spec, Check(request));
  RETURN_IF_ERROR(Register(spec, request.command()));
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
  ASSIGN_OR_RETURN(const RunRow run, Find({response.run_id()}));
  if (run.summary.state() == v1::RUN_STATE_STOPPED) {
    RETURN_IF_ERROR(ResumeRun(run.run_id).status());
  } else if (response.created()) {
    if (run.summary.state() == v1::RUN_STATE_RUNNING) ConductIfIdle(run.run_id);
  }
  return response;
}

absl::StatusOr<PipelineSpec> Supervisor::Check(const v1::SubmitPipelineRequest& request) {
  absl::Status asked, unseen;
  const auto find = [&](const std::string& name) -> std::optional<storage::DatasetSpec> {
    const auto dataset = downstream_->GetDataset(name);
    if (!dataset.ok()) {
      if (asked.ok()) asked = dataset.status();
      return std::nullopt;
    }
    auto spec = config::Read<storage::DatasetSpec>(dataset->spec(), name);
    if (!spec.ok()) {
      asked = spec.status();
      return std::nullopt;
    }
    return *std::move(spec);
  };
  const auto peek = [&](const storage::DatasetSpec& dataset) -> absl::StatusOr<DatasetPeek> {
    auto seen = PeekThroughStorage(*downstream_, dataset);
    if (absl::IsUnavailable(seen.status())) unseen = seen.status();
    return seen;
  };
  SentFiles files(request, *downstream_);
  auto checked =
      CheckPipeline({.text = request.pipeline(),
                     .file_name = request.file_name(),
                     .variables = {request.variables().begin(), request.variables().end()},
                     .base_folder = request.base_folder(),
                     .files = &files,
                     .peek = peek},
                    find);
  RETURN_IF_ERROR(unseen);  // No fault of the pipeline's.
  RETURN_IF_ERROR(files.status());
  RETURN_IF_ERROR(checked.problems.ToStatus());
  RETURN_IF_ERROR(asked);
  return std::move(checked.value);
}

// The last piece waits for the judgement of all: what is refused is not kept.
absl::Status Supervisor::TakeNetwork(const v1::SendNetworkRequest::Header& header,
                                     const Downstream::NextBytes& next) {
  model_store::v1::PutFileRequest::Header kept;
  *kept.mutable_command() = header.command();
  kept.set_size_bytes(header.size_bytes());
  kept.set_digest(header.digest());
  TorchScriptLook look;
  ASSIGN_OR_RETURN(std::optional<std::string> ahead, next());
  return downstream_->KeepFile(kept, [&]() -> absl::StatusOr<std::optional<std::string>> {
    std::optional<std::string> piece = std::move(ahead);
    ahead.reset();
    if (piece) {
      look.Add(*piece);
      ASSIGN_OR_RETURN(ahead, next());
    }
    if (!ahead) RETURN_IF_ERROR(look.Judge(header.file_name()));
    return piece;
  });
}

void Supervisor::RetireFiles() {
  std::vector<std::string> kept;
  absl::Status status = database_.Transact([&](pqxx::work& work) {
    kept = ListNamedFiles(work);
    return absl::OkStatus();
  });
  if (status.ok()) status = downstream_->RetireFiles(kept);
  if (!status.ok()) log::Warn("files of pipelines stay", {{"error", status.ToString()}});
}

absl::Status Supervisor::Register(PipelineSpec& spec, const rpc::v1::Command& command) {
  for (auto& [name, dataset] : spec.datasets) {
    if (!dataset) continue;
    rpc::v1::Command registration;  // On behalf of whoever submits, and of no run yet.
    registration.set_request_id(command.request_id() + "/" + name);
    RETURN_IF_ERROR(
        downstream_->RegisterDataset(name, config::Print(*dataset), registration).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::SubmitPipelineResponse> Supervisor::FindOrCreate(
    pqxx::work& work, const v1::SubmitPipelineRequest& request, const PipelineSpec& spec) {
  // The spec's name was checked with the spec.
  PipelineName name{.name_space = {}, .name = spec.name};
  ASSIGN_OR_RETURN(name.name_space, CheckedNamespace(request.namespace_()));
  const std::string text = config::Print(spec);
  v1::SubmitPipelineResponse response;
  response.set_pipeline_name(spec.name);
  const std::vector<RunRow> runs = supervisor::ListRuns(work, name);
  if (!runs.empty()) {
    const RunRow& last = runs.front();
    const bool running = last.summary.state() == v1::RUN_STATE_RUNNING;
    const bool stopped = last.summary.state() == v1::RUN_STATE_STOPPED;
    if (last.spec == text && (running || stopped)) {
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

absl::StatusOr<RunId> Supervisor::CreateRun(pqxx::work& work, const PipelineName& name,
                                            const PipelineSpec& spec,
                                            const v1::SubmitPipelineRequest& request) {
  const std::string text = config::Print(spec);
  const RunId run =
      InsertRun(work, SavePipeline(work, name, spec.description, text), text, request.pipeline());
  v1::RunEvent event;
  event.mutable_run_started()->set_max_triggers(request.max_triggers());
  event.mutable_run_started()->set_live(spec.live.has_value());
  RunState state;
  state.Apply(event);
  const EventPlace first{.run = run, .run_epoch = 1, .sequence = 1};
  RETURN_IF_ERROR(AppendEvent(work, first, event, state).status());
  return run;
}

absl::StatusOr<RunRow> Supervisor::Find(RunId run) {
  std::optional<RunRow> row;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    row = FindRun(work, run);
    return absl::OkStatus();
  }));
  if (!row) return NotFound("run {} is unknown", run.value);
  return *std::move(row);
}

absl::StatusOr<RunState> Supervisor::Fold(RunId run, std::vector<EventRow>& events) {
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    ASSIGN_OR_RETURN(events, ReadEvents(work, run));
    return absl::OkStatus();
  }));
  RunState state;
  for (const EventRow& event : events) state.Apply(event.event);
  return state;
}

absl::StatusOr<v1::GetRunResponse> Supervisor::GetRun(const v1::GetRunRequest& request) {
  const RunId run{request.run_id()};
  ASSIGN_OR_RETURN(const RunRow row, Find(run));
  std::vector<EventRow> events;
  ASSIGN_OR_RETURN(const RunState state, Fold(run, events));
  v1::GetRunResponse response;
  *response.mutable_run() = row.summary;
  for (const TriggerState& trigger : state.triggers()) *response.add_triggers() = trigger.trigger;
  for (const auto& [name, dataset] : state.datasets()) {
    if (dataset.has_left_out()) (*response.mutable_left_out())[name] = dataset.left_out();
  }
  if (state.stream_ended()) *response.mutable_stream_ended() = state.end_of_stream();
  AddHistory(events, response);
  if (request.with_events()) AddEvents(events, response);
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    response.clear_decisions();
    for (v1::Decision& decision : ListDecisions(work, run, kMostDecisions)) {
      *response.add_decisions() = std::move(decision);
    }
    return absl::OkStatus();
  }));
  response.set_pipeline_text(row.pipeline_text);
  response.set_pipeline_resolved(row.spec);
  if (state.stream_ended() || state.live()) {
    ASSIGN_OR_RETURN(auto values, downstream_->ListEvaluations(run));
    ASSIGN_OR_RETURN(const auto spec, config::Read<PipelineSpec>(row.spec, "pipeline"));
    if (state.live()) {
      values = NewestOfEach(std::move(values), static_cast<int>(spec.evaluation.size()));
      for (v1::Trigger& trigger : *response.mutable_triggers()) {
        trigger.set_late(std::string(NameOf(spec.live->late)));
      }
    }
    AddBaselines(TakeBaselines(values), response);
    AddEvaluations(values, response);
    AddComposites(spec, state, values, response);
  }
  return response;
}

absl::StatusOr<int64_t> Supervisor::Interrupt(pqxx::work& work, RunId run,
                                              const v1::RunEvent& event) {
  ASSIGN_OR_RETURN(const int64_t epoch, TakeOver(work, run));
  ASSIGN_OR_RETURN(const std::vector<EventRow> events, ReadEvents(work, run));
  RunState state;
  for (const EventRow& earlier : events) state.Apply(earlier.event);
  state.Apply(event);
  const EventPlace next{.run = run,
                        .run_epoch = epoch,
                        .sequence = events.empty() ? 1 : events.back().shown.sequence() + 1};
  RETURN_IF_ERROR(AppendEvent(work, next, event, state).status());
  return epoch;
}

absl::StatusOr<v1::Run> Supervisor::StopRun(RunId run) {
  ASSIGN_OR_RETURN(RunRow row, Find(run));
  if (row.summary.state() != v1::RUN_STATE_RUNNING) return row.summary;
  const std::shared_ptr<RunFeed> feed = EndConductor(run);
  rpc::v1::Command command;
  command.set_request_id(fmt::format("run/{}/stop", run.value));
  command.set_run_id(run.value);
  v1::RunEvent event;
  std::vector<EventRow> events;
  const absl::StatusOr<RunState> before = Fold(run, events);
  // A live run goes on until it has measured what there is.
  const bool ends_later = before.ok() && before->live() && !before->stop_requested();
  if (ends_later) {
    event.mutable_stop_requested();
  } else {
    event.mutable_run_stopped();
  }
  bool stopped = false;
  const absl::Status written = database_.Transact([&](pqxx::work& work) -> absl::Status {
    const auto now = LockRun(work, run);
    stopped = now && now->summary.state() == v1::RUN_STATE_RUNNING;
    if (!stopped) return absl::OkStatus();  // It ended meanwhile.
    ASSIGN_OR_RETURN(const int64_t epoch, Interrupt(work, run, event));
    command.set_run_epoch(epoch);
    return absl::OkStatus();
  });
  if (!written.ok()) {
    if (feed) feed->Close(row.summary);  // Its watchers see that the run is RUNNING still.
    Conduct(run);
    return written;
  }
  ASSIGN_OR_RETURN(row, Find(run));
  ASSIGN_OR_RETURN(const RunState state, Fold(run, events));
  if (feed) {
    if (stopped && !events.empty()) feed->Append(events.back().shown);
    if (!stopped || !ends_later) feed->Close(row.summary);
  }
  const TriggerState* open = state.Unfinished();
  const bool in_training = open != nullptr && open->sealed && !open->trained;
  if (stopped && in_training) {
    const absl::Status status = downstream_->StopTraining(command, open->trigger.number());
    if (!status.ok()) log::Warn("training is not stopped", {{"error", status.ToString()}});
  }
  if (stopped && ends_later) Conduct(run, feed);
  return row.summary;
}

absl::StatusOr<v1::Run> Supervisor::ResumeRun(RunId run) {
  bool resumed = false;
  v1::RunEvent event;
  event.mutable_run_resumed();
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    const auto now = LockRun(work, run);
    if (!now) return NotFound("run {} is unknown", run.value);
    if (now->summary.state() == v1::RUN_STATE_SUCCEEDED) {
      return FailedPrecondition("run {} has succeeded", run.value);
    }
    resumed = now->summary.state() != v1::RUN_STATE_RUNNING;
    if (!resumed) return absl::OkStatus();
    return Interrupt(work, run, event).status();
  }));
  if (resumed) {
    EndConductor(run);
    Conduct(run);
  }
  ASSIGN_OR_RETURN(RunRow row, Find(run));
  return row.summary;
}

absl::StatusOr<bool> Supervisor::DeleteRun(RunId run) {
  const auto row = Find(run);
  if (absl::IsNotFound(row.status())) return false;
  RETURN_IF_ERROR(row.status());
  if (row->summary.state() == v1::RUN_STATE_RUNNING) {
    return FailedPrecondition("run {} of pipeline {} is running; stop it first", run.value,
                              row->summary.pipeline_name());
  }
  EndConductor(run);
  rpc::v1::Command command;
  command.set_request_id(fmt::format("run/{}/delete", run.value));
  command.set_run_id(run.value);
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    ASSIGN_OR_RETURN(const int64_t epoch, TakeOver(work, run));
    command.set_run_epoch(epoch);
    return absl::OkStatus();
  }));
  RETURN_IF_ERROR(downstream_->DeleteRun(command));
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    supervisor::DeleteRun(work, run);
    return absl::OkStatus();
  }));
  RetireFiles();
  MutexLock lock(mutex_);
  ended_.erase(run);
  return true;
}

}  // namespace tidemill::supervisor
