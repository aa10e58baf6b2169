// The steps of a run: each asks the services below for one thing and records that it is done.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/failpoints.h"
#include "base/log.h"
#include "storage/client/left_out_text.h"
#include "supervisor/conductor/conductor.h"
#include "supervisor/measuring/live_windows.h"
#include "supervisor/measuring/windows.h"
#include "supervisor/runs/cuts.h"
#include "supervisor/runs/label_delay.h"
#include "supervisor/runs/progress.h"

namespace tidemill::supervisor {
namespace {

using Clock = std::chrono::steady_clock;

class Stopwatch {
 public:
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  const Clock::time_point start_ = Clock::now();
};

v1::RunEvent SyncedEvent(const storage::v1::Dataset& dataset, const rpc::v1::Snapshot& snapshot) {
  v1::RunEvent event;
  v1::DatasetSynced& synced = *event.mutable_dataset_synced();
  synced.set_name(dataset.name());
  synced.set_spec(dataset.spec());
  *synced.mutable_snapshot() = snapshot;
  synced.set_num_samples(dataset.num_samples());
  *synced.mutable_left_out() = dataset.left_out();
  synced.mutable_from()->set_event_time(dataset.first_event_time());
  synced.mutable_to()->set_event_time(dataset.last_event_time() + 1);
  return event;
}

// What `replay` takes of the stream. Its windows reach from there to the end of the dataset.
absl::Status ClipToReplay(const ReplaySpec& replay, v1::DatasetSynced& synced) {
  const int64_t begin = synced.from().event_time();
  const int64_t end = synced.to().event_time();
  if (replay.from) {
    *synced.mutable_replay_from() = ToProto(Cut{*replay.from, {}});
    synced.mutable_from()->set_event_time(std::max(begin, replay.from->micros));
  }
  if (replay.to) *synced.mutable_replay_to() = ToProto(Cut{*replay.to, {}});
  if ((replay.from && replay.from->micros >= end) || (replay.to && replay.to->micros <= begin)) {
    return FailedPrecondition("none of its samples, from {} to {}, lies in the pipeline's replay",
                              FormatTimestamp({begin}), FormatTimestamp({end - 1}));
  }
  return absl::OkStatus();
}

// Whether a call that runs a job may have failed because of the job, which costs a trigger, rather
// than because of who called: a fenced command and a missing right say nothing of the job.
bool MayBeOfJob(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kUnimplemented:
      return false;
    default:
      return true;
  }
}

// Of a training that is neither done nor failed: it is started again.
absl::Status EndedBeforeItsTime(const trainer_server::v1::WatchTrainingResponse& last) {
  if (last.error().empty()) return Unavailable("the training ended before its time");
  return Unavailable("the training ended before its time: {}", last.error());
}

// Why nothing is in a training set.
std::string WhyNothing(const selector::v1::TrainingSet& set) {
  std::string why = fmt::format("no sample was selected, of {} candidates", set.num_candidates());
  const int64_t num_unlabelled = set.summary().num_unlabelled();
  if (num_unlabelled > 0) {
    why +=
        fmt::format(" and {} samples without a label, which nothing is trained on", num_unlabelled);
  }
  return why;
}

}  // namespace

rpc::v1::Command Conductor::CommandFor(const std::string& stage, int64_t number) const {
  rpc::v1::Command command;
  command.set_request_id(fmt::format("run/{}/{}/{}", run_.value, stage, number));
  command.set_run_id(run_.value);
  command.set_run_epoch(epoch_);
  return command;
}

const v1::DatasetSynced& Conductor::TrainingData() const {
  return state_.datasets().at(spec_.preprocess.dataset);
}

absl::Status Conductor::Sync(const std::string& name) {
  storage::v1::Dataset dataset;
  rpc::v1::Snapshot snapshot;
  RETURN_IF_ERROR(Insist([&]() -> absl::Status {
    ASSIGN_OR_RETURN(dataset, downstream_->GetDataset(name));
    const auto report = [&](const storage::v1::SyncDatasetResponse& update) {
      Report(ProgressOf("sync", update.num_files_done(), update.num_files_found(), "files"));
    };
    ASSIGN_OR_RETURN(snapshot, downstream_->SyncDataset({dataset.dataset_id()}, report));
    ASSIGN_OR_RETURN(dataset, downstream_->GetDataset(name));
    return absl::OkStatus();
  }));
  if (dataset.num_samples() == 0 && spec_.live) {
    Report(ProgressOf("follow", 0, 0, "samples"));
    Pause(PollInterval());
    return absl::OkStatus();  // It is synced again.
  }
  if (dataset.num_samples() == 0) {
    return FailedPrecondition("{}",
                              storage::WhyEmpty(name, dataset.num_files(), dataset.left_out()));
  }
  v1::RunEvent synced = SyncedEvent(dataset, snapshot);
  if (name == spec_.preprocess.dataset) {
    const absl::Status clipped = ClipToReplay(spec_.replay, *synced.mutable_dataset_synced());
    // A live run waits for samples.
    if (!spec_.live) RETURN_IF_ERROR(clipped);
  }
  for (const evaluator::EvaluationSpec& evaluation : spec_.evaluation) {
    if (evaluation.dataset != name) continue;
    RETURN_IF_ERROR(CheckNumWindows(evaluation.windows, synced.dataset_synced()));
  }
  return Record(synced);
}

absl::Status Conductor::Select(const TriggerState& trigger) {
  FAILPOINT("supervisor.before_select");
  const Stopwatch stopwatch;
  const int64_t number = trigger.trigger.number();
  Report(ProgressOf("select", 0, 0, "samples"));
  selector::v1::SealTrainingSetRequest request;
  *request.mutable_command() = CommandFor("select", number);
  request.set_trigger(number);
  *request.mutable_snapshot() = TrainingData().snapshot();
  if (TrainingData().has_replay_from()) *request.mutable_begin() = TrainingData().replay_from();
  ASSIGN_OR_RETURN(const Duration delay, LabelDelay());
  if (spec_.live) AddLateSamples(trigger, delay, request);
  for (const TriggerState& before : state_.triggers()) {
    if (before.trigger.number() >= number) break;
    *request.add_ends() = KnownAt(before.trigger.at(), delay);
  }
  if (const TriggerState* active = state_.LastStoredBefore(number)) {
    request.set_model_id(active->trigger.model_id());
  }
  if (number > 1) *request.mutable_from() = KnownAt(trigger.from, delay);
  *request.mutable_to() = KnownAt(trigger.trigger.at(), delay);
  request.set_selection(config::Print(spec_.selection));
  request.set_dataset_spec(TrainingData().spec());
  request.set_seed(spec_.training.seed);
  selector::v1::TrainingSet set;
  RETURN_IF_ERROR(Insist([&]() -> absl::Status {
    ASSIGN_OR_RETURN(set, downstream_->SealTrainingSet(request));
    return absl::OkStatus();
  }));
  if (set.num_samples() == 0) return Skip(trigger, "select", WhyNothing(set));
  FAILPOINT("supervisor.after_select");
  v1::RunEvent event;
  v1::TrainingSetSealed& sealed = *event.mutable_training_set_sealed();
  sealed.set_trigger(number);
  sealed.set_num_samples(set.num_samples());
  sealed.set_num_candidates(set.num_candidates());
  sealed.set_digest(set.digest());
  sealed.set_seconds(stopwatch.Seconds());
  sealed.set_num_late(set.num_late());
  sealed.set_num_unlabelled(set.summary().num_unlabelled());
  return Record(event);
}

absl::Status Conductor::Fit(const TriggerState& trigger) {
  const Stopwatch stopwatch;
  const int64_t number = trigger.trigger.number();
  Report(ProgressOf("fit", 0, 0, "samples"));
  trainer_server::v1::FitGraphRequest request;
  *request.mutable_command() = CommandFor("fit", number);
  request.set_trigger(number);
  request.set_dataset_id(TrainingData().snapshot().dataset_id());
  request.set_dataset_spec(TrainingData().spec());
  request.set_graph(config::Print(spec_.preprocess.graph));
  std::string digest;
  const absl::Status fitted = Insist([&]() -> absl::Status {
    ASSIGN_OR_RETURN(digest, downstream_->FitGraph(request));
    return absl::OkStatus();
  });
  if (MayBeOfJob(fitted)) return Skip(trigger, "fit", std::string(fitted.message()));
  RETURN_IF_ERROR(fitted);
  FAILPOINT("supervisor.after_fit");
  v1::RunEvent event;
  event.mutable_graph_fitted()->set_trigger(number);
  event.mutable_graph_fitted()->set_digest(digest);
  event.mutable_graph_fitted()->set_seconds(stopwatch.Seconds());
  return Record(event);
}

trainer_server::v1::StartTrainingRequest Conductor::TrainingOf(const TriggerState& trigger) const {
  const int64_t number = trigger.trigger.number();
  trainer_server::v1::StartTrainingRequest request;
  *request.mutable_command() = CommandFor("train", number);
  request.set_trigger(number);
  request.set_dataset_id(TrainingData().snapshot().dataset_id());
  request.set_dataset_spec(TrainingData().spec());
  request.set_graph(config::Print(spec_.preprocess.graph));
  request.set_fitted_trigger(FittedTrigger(state_, plan_, number));
  request.set_model(config::Print(spec_.model));
  request.set_training(config::Print(spec_.training));
  if (spec_.preprocess.workers) request.set_workers(config::Print(*spec_.preprocess.workers));
  const TriggerState* parent = state_.LastStoredBefore(number);
  if (spec_.training.warm_start && parent != nullptr) {
    request.set_parent_model_id(parent->trigger.model_id());
  }
  return request;
}

absl::Status Conductor::Skip(const TriggerState& trigger, const std::string& stage,
                             const std::string& reason) {
  const int64_t number = trigger.trigger.number();
  FAILPOINT("supervisor.before_skip");
  log::Warn("trigger is skipped", {{"run", std::to_string(run_.value)},
                                   {"trigger", std::to_string(number)},
                                   {"stage", stage},
                                   {"reason", reason}});
  v1::RunEvent event;
  v1::TriggerSkipped& skipped = *event.mutable_trigger_skipped();
  skipped.set_trigger(number);
  skipped.set_reason(fmt::format("{}: {}", stage, reason));
  skipped.set_stage(stage);
  if (const TriggerState* active = state_.LastStoredBefore(number)) {
    skipped.set_active_trigger(active->trigger.number());
  }
  return Record(event);
}

absl::Status Conductor::Train(const TriggerState& trigger) {
  const Stopwatch stopwatch;
  const int64_t number = trigger.trigger.number();
  const auto request = TrainingOf(trigger);
  trainer_server::v1::WatchTrainingResponse last;
  const auto report = [&](const trainer_server::v1::WatchTrainingResponse& update) {
    last = update;
    v1::Progress progress =
        ProgressOf("train", update.samples_done(), update.samples_total(), "samples");
    progress.set_trigger(number);
    progress.set_per_second(update.samples_per_second());
    progress.set_loss(update.loss());
    progress.set_wait_share(update.wait_share());
    progress.set_epoch(update.epoch());
    *progress.mutable_path() = update.path();
    Report(progress);
  };
  RETURN_IF_ERROR(Insist(
      [&]() -> absl::Status {
        RETURN_IF_ERROR(downstream_->StartTraining(request));
        FAILPOINT("supervisor.mid_train");
        const absl::Status watched = downstream_->WatchTraining(run_, number, report);
        if (last.state() == trainer_server::v1::TRAINING_STATE_DONE) return absl::OkStatus();
        if (last.state() == trainer_server::v1::TRAINING_STATE_FAILED) return absl::OkStatus();
        return watched.ok() || absl::IsNotFound(watched) ? EndedBeforeItsTime(last) : watched;
      },
      [&] { return last.samples_done(); }));
  if (last.state() == trainer_server::v1::TRAINING_STATE_FAILED) {
    return Skip(trigger, "train", last.error());
  }
  FAILPOINT("supervisor.after_train");
  v1::RunEvent event;
  v1::ModelTrained& trained = *event.mutable_model_trained();
  trained.set_trigger(number);
  trained.set_num_skipped(last.num_skipped());
  trained.set_device(last.device());
  trained.set_loss(last.loss());
  trained.set_seconds(stopwatch.Seconds());
  *trained.mutable_loss_curve() = last.loss_curve();
  trained.set_verdict(last.verdict());
  if (last.has_downsampling()) *trained.mutable_downsampling() = last.downsampling();
  return Record(event);
}

absl::Status Conductor::Store(const TriggerState& trigger) {
  const Stopwatch stopwatch;
  const int64_t number = trigger.trigger.number();
  Report(ProgressOf("store", 0, 0, ""));
  trainer_server::v1::StoreModelRequest request;
  *request.mutable_command() = CommandFor("store", number);
  request.set_trigger(number);
  trainer_server::v1::StoreModelResponse response;
  RETURN_IF_ERROR(Insist([&]() -> absl::Status {
    ASSIGN_OR_RETURN(response, downstream_->StoreModel(request));
    return absl::OkStatus();
  }));
  FAILPOINT("supervisor.after_store");
  v1::RunEvent event;
  v1::ModelStored& stored = *event.mutable_model_stored();
  stored.set_trigger(number);
  stored.set_model_id(response.model_id());
  stored.set_weights_digest(response.weights_digest());
  stored.set_seconds(stopwatch.Seconds());
  return Record(event);
}

// Each round of a live run is an evaluation of its own for the evaluator.
int32_t Conductor::EvaluationNumber(int32_t evaluation) const {
  return evaluation + plan_.num_evaluations * state_.round();
}

absl::StatusOr<evaluator::v1::StartEvaluationRequest> Conductor::EvaluationOf(
    int32_t evaluation) const {
  const evaluator::EvaluationSpec& spec = spec_.evaluation.at(static_cast<size_t>(evaluation));
  const v1::DatasetSynced& dataset = state_.datasets().at(spec.dataset);
  evaluator::v1::StartEvaluationRequest request;
  const int32_t number = EvaluationNumber(evaluation);
  *request.mutable_command() = CommandFor("evaluate", number);
  request.set_evaluation(number);
  *request.mutable_snapshot() = dataset.snapshot();
  if (spec_.live && spec.dataset == spec_.preprocess.dataset) {
    ASSIGN_OR_RETURN(*request.mutable_snapshot(), SnapshotToMeasure());
  }
  request.set_dataset_name(dataset.name());
  request.set_dataset_spec(dataset.spec());
  request.set_graph(config::Print(spec_.preprocess.graph));
  ASSIGN_OR_RETURN(WindowsOfRound round, WindowsToMeasureNow(state_, spec_, spec));
  for (const int64_t model : round.model_ids) request.add_model_ids(model);
  ASSIGN_OR_RETURN(const Duration delay, LabelDelay());
  for (evaluator::v1::Window& window : round.windows) {
    if (window.has_known_to()) *window.mutable_known_to() = KnownAt(window.known_to(), delay);
    *request.add_windows() = std::move(window);
  }
  ASSIGN_OR_RETURN(*request.mutable_known_labels(), KnownLabels());
  request.set_evaluation_spec(config::Print(spec));
  return request;
}

absl::Status Conductor::Evaluate(int32_t evaluation) {
  FAILPOINT("supervisor.before_evaluate");
  const Stopwatch stopwatch;
  ASSIGN_OR_RETURN(const auto request, EvaluationOf(evaluation));
  evaluator::v1::WatchEvaluationResponse last;
  const auto report = [&](const evaluator::v1::WatchEvaluationResponse& update) {
    last = update;
    Report(ProgressOf("evaluate", update.windows_done(), update.windows_total(), "windows"));
  };
  if (request.model_ids_size() > 0 && request.windows_size() > 0) {
    RETURN_IF_ERROR(Insist(
        [&]() -> absl::Status {
          RETURN_IF_ERROR(downstream_->StartEvaluation(request));
          const absl::Status watched =
              downstream_->WatchEvaluation(run_, request.evaluation(), report);
          if (last.state() == evaluator::v1::EVALUATION_STATE_DONE) return absl::OkStatus();
          if (last.state() == evaluator::v1::EVALUATION_STATE_FAILED) {
            return Internal("{}", last.error());
          }
          return watched.ok() || absl::IsNotFound(watched)
                     ? Unavailable("the evaluation ended before its time")
                     : watched;
        },
        [&] { return last.samples_done(); }));
  }
  FAILPOINT("supervisor.after_evaluate");
  v1::RunEvent event;
  v1::EvaluationFinished& finished = *event.mutable_evaluation_finished();
  finished.set_evaluation(evaluation);
  finished.set_num_windows(request.windows_size());
  finished.set_seconds(stopwatch.Seconds());
  finished.set_round(state_.round());
  const auto& triggers = state_.triggers();
  finished.set_num_removed_models(
      std::count_if(triggers.begin(), triggers.end(),
                    [](const TriggerState& trigger) { return trigger.trigger.removed(); }));
  return Record(event);
}

}  // namespace tidemill::supervisor
