#include "supervisor/conductor/model_trainer.h"

#include <string>
#include <utility>

#include "base/failpoints.h"
#include "config/config.h"
#include "models/training/training_draw.h"
#include "supervisor/runs/progress.h"
#include "supervisor/steps/skip_trigger.h"
#include "supervisor/steps/stopwatch.h"

namespace tidemill::supervisor {
namespace {

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

bool HasEnded(const trainer_server::v1::WatchTrainingResponse& last) {
  return last.state() == trainer_server::v1::TRAINING_STATE_DONE ||
         last.state() == trainer_server::v1::TRAINING_STATE_FAILED;
}

// Whether models of earlier trainings are taken. The runs of a sweep take them from each other:
// what is swept may not change the training, and a setting that is measured with growing effort
// begins each time with the trainings that it has made.
bool MayReuse(const RunRecord& record) {
  return record.spec().training.reuse || record.state().in_sweep();
}

// The error of a training that is neither done nor failed: it is started again.
absl::Status EndedBeforeItsTime(const trainer_server::v1::WatchTrainingResponse& last) {
  if (last.error().empty()) return Unavailable("the training ended too early");
  return Unavailable("the training ended too early: {}", last.error());
}

v1::RunEvent TrainedEvent(int64_t trigger, const rpc::v1::TrainingResult& result, double seconds) {
  v1::RunEvent event;
  v1::ModelTrained& trained = *event.mutable_model_trained();
  trained.set_trigger(trigger);
  trained.set_seconds(seconds);
  *trained.mutable_result() = result;
  return event;
}

// The result of the first training, at its cost.
v1::RunEvent TakenEvent(int64_t trigger, const model_store::v1::ReuseModelResponse& taken) {
  v1::RunEvent event = TrainedEvent(trigger, taken.result(), taken.model().train_seconds());
  event.mutable_model_trained()->set_training_digest(taken.model().training_digest());
  *event.mutable_model_trained()->mutable_reused_from() = taken.model().reused_from();
  return event;
}

trainer_server::v1::StoreModelRequest StoreOf(const rpc::v1::Command& command,
                                              const v1::Trigger& trigger) {
  trainer_server::v1::StoreModelRequest request;
  *request.mutable_command() = command;
  request.set_trigger(trigger.number());
  request.set_training_digest(trigger.training_digest());
  const auto& seconds = trigger.stage_seconds();
  if (const auto fit = seconds.find("fit"); fit != seconds.end()) {
    request.set_fit_seconds(fit->second);
  }
  request.set_train_seconds(seconds.at("train"));
  return request;
}

}  // namespace

absl::StatusOr<std::string> ModelTrainer::FitOrTake(const TriggerState& trigger,
                                                    std::optional<model_store::v1::Model>& like) {
  auto request = FitOf(trigger);
  if (like) request.set_fitted_model_id(like->model_id());
  std::string digest;
  const auto fit = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const JobPlace at, slots_.Take(kFitStage, request.trigger()));
    ASSIGN_OR_RETURN(const auto response, downstream_.FitGraph(at, request));
    digest = response.fitted_digest();
    if (response.has_usage()) record_.step_usage().NoteJob(response.usage(), record_.usage());
    return absl::OkStatus();
  };
  absl::Status fitted = patience_.RetryTransient(fit);
  if (like && MayBeOfJob(fitted)) {
    like.reset();
    request.clear_fitted_model_id();
    fitted = patience_.RetryTransient(fit);
  }
  RETURN_IF_ERROR(fitted);
  return digest;
}

absl::Status ModelTrainer::Fit(const TriggerState& trigger) {
  absl::Status fitted = FitHere(trigger);
  RETURN_IF_ERROR(slots_.Return(kFitStage, trigger.trigger.number()));
  return fitted;
}

absl::Status ModelTrainer::FitHere(const TriggerState& trigger) {
  const Stopwatch stopwatch;
  record_.Report(ProgressOf("fit", 0, 0, "samples"));
  std::optional<model_store::v1::Model> like;
  if (MayReuse(record_)) {
    ASSIGN_OR_RETURN(like, reuse_.Find(TrainingOf(trigger)));
  }
  const absl::StatusOr<std::string> fitted = FitOrTake(trigger, like);
  if (MayBeOfJob(fitted.status())) {
    RETURN_IF_ERROR(CheckData());
    return SkipTrigger(record_, trigger, "fit", std::string(fitted.status().message()));
  }
  RETURN_IF_ERROR(fitted.status());
  FAILPOINT("supervisor.after_fit");
  v1::RunEvent event;
  event.mutable_graph_fitted()->set_trigger(trigger.trigger.number());
  event.mutable_graph_fitted()->set_digest(*fitted);
  const bool has_cost = like && like->fit_seconds() > 0;
  event.mutable_graph_fitted()->set_seconds(has_cost ? like->fit_seconds() : stopwatch.Seconds());
  event.mutable_graph_fitted()->set_reused(like.has_value());
  return record_.Record(event);
}

absl::Status ModelTrainer::CheckData() {
  const std::string& name = record_.TrainingData().name();
  storage::v1::Dataset dataset;
  RETURN_IF_ERROR(patience_.RetryTransient([&]() -> absl::Status {
    ASSIGN_OR_RETURN(dataset, downstream_.GetDataset(name));
    return absl::OkStatus();
  }));
  if (dataset.unreachable().empty()) return absl::OkStatus();
  return FailedPrecondition("dataset {}: {}; the run can be resumed once it is there", name,
                            dataset.unreachable());
}

absl::Status ModelTrainer::Train(const TriggerState& trigger) {
  const absl::StatusOr<bool> trained = TrainHere(trigger);
  if (trained.ok() && *trained) return absl::OkStatus();
  RETURN_IF_ERROR(slots_.Return(kTrainStage, trigger.trigger.number()));
  return trained.status();
}

absl::StatusOr<bool> ModelTrainer::TrainHere(const TriggerState& trigger) {
  const Stopwatch stopwatch;
  const auto request = TrainingOf(trigger);
  KnownTraining known;
  if (MayReuse(record_)) {
    ASSIGN_OR_RETURN(known, reuse_.Take(request));
  }
  if (known.taken) {
    FAILPOINT("supervisor.after_reuse");
    RETURN_IF_ERROR(record_.Record(TakenEvent(request.trigger(), *known.taken)));
    return false;
  }
  ASSIGN_OR_RETURN(const auto last, Watch(request));
  if (last.state() == trainer_server::v1::TRAINING_STATE_FAILED) {
    RETURN_IF_ERROR(CheckData());
    RETURN_IF_ERROR(SkipTrigger(record_, trigger, "train", last.error()));
    return false;
  }
  if (!last.has_result()) {
    return FailedPrecondition(
        "the trainer server gives no figures for trigger {} because its version is older than 0.8; "
        "upgrade it, then resume the run",
        trigger.trigger.number());
  }
  FAILPOINT("supervisor.after_train");
  v1::RunEvent event = TrainedEvent(trigger.trigger.number(), last.result(), stopwatch.Seconds());
  event.mutable_model_trained()->set_training_digest(known.digest);
  event.mutable_model_trained()->set_why_not_reusable(known.why_none);
  RETURN_IF_ERROR(record_.Record(event));
  return true;
}

absl::Status ModelTrainer::Store(const TriggerState& trigger) {
  if (trigger.trigger.has_reused_from()) return StoreTaken(trigger);
  const Stopwatch stopwatch;
  const int64_t number = trigger.trigger.number();
  ASSIGN_OR_RETURN(const auto stored, StoreTrained(trigger));
  RETURN_IF_ERROR(
      RecordStored(number, stored.model_id(), stored.weights_digest(), stopwatch.Seconds()));
  return slots_.Return(kTrainStage, number);
}

absl::StatusOr<trainer_server::v1::StoreModelResponse> ModelTrainer::StoreTrained(
    const TriggerState& trigger) {
  const int64_t number = trigger.trigger.number();
  const auto request = StoreOf(record_.CommandFor("store", number), trigger.trigger);
  trainer_server::v1::StoreModelResponse response;
  const auto store = [&]() -> absl::Status {
    record_.Report(ProgressOf("store", 0, 0, ""));
    ASSIGN_OR_RETURN(const JobPlace at, slots_.Take(kTrainStage, number));
    ASSIGN_OR_RETURN(response, downstream_.StoreModel(at, request));
    return absl::OkStatus();
  };
  absl::Status stored = patience_.RetryTransient(store);
  if (absl::IsNotFound(stored)) {
    ASSIGN_OR_RETURN(const auto last, Watch(TrainingOf(trigger)));
    if (last.state() == trainer_server::v1::TRAINING_STATE_FAILED) {
      return Internal(
          "trigger {} was trained, its model was lost, and to train it again failed: {}", number,
          last.error());
    }
    stored = patience_.RetryTransient(store);
  }
  RETURN_IF_ERROR(stored);
  return response;
}

// The model store has it since it was taken.
absl::Status ModelTrainer::StoreTaken(const TriggerState& trigger) {
  const Stopwatch stopwatch;
  const int64_t number = trigger.trigger.number();
  ASSIGN_OR_RETURN(const model_store::v1::ReuseModelResponse given, reuse_.Given(number));
  if (!given.has_model()) {
    return NotFound("the model store has lost the model that trigger {} has taken", number);
  }
  return RecordStored(number, given.model().model_id(), given.result().weights_digest(),
                      stopwatch.Seconds());
}

absl::Status ModelTrainer::RecordStored(int64_t trigger, int64_t model_id,
                                        const std::string& weights_digest, double seconds) {
  FAILPOINT("supervisor.after_store");
  v1::RunEvent event;
  v1::ModelStored& stored = *event.mutable_model_stored();
  stored.set_trigger(trigger);
  stored.set_model_id(model_id);
  stored.set_weights_digest(weights_digest);
  stored.set_seconds(seconds);
  return record_.Record(event);
}

trainer_server::v1::FitGraphRequest ModelTrainer::FitOf(const TriggerState& trigger) const {
  const int64_t number = trigger.trigger.number();
  trainer_server::v1::FitGraphRequest request;
  *request.mutable_command() = record_.CommandFor("fit", number);
  request.set_trigger(number);
  request.set_dataset_id(record_.TrainingData().snapshot().dataset_id());
  request.set_dataset_spec(record_.TrainingData().spec());
  request.set_graph(config::Print(record_.spec().preprocess.graph));
  return request;
}

trainer_server::v1::StartTrainingRequest ModelTrainer::TrainingOf(
    const TriggerState& trigger) const {
  const int64_t number = trigger.trigger.number();
  const PipelineSpec& spec = record_.spec();
  trainer_server::v1::StartTrainingRequest request;
  *request.mutable_command() = record_.CommandFor("train", number);
  request.set_trigger(number);
  request.set_dataset_id(record_.TrainingData().snapshot().dataset_id());
  request.set_dataset_spec(record_.TrainingData().spec());
  request.set_graph(config::Print(spec.preprocess.graph));
  request.set_fitted_trigger(FittedTrigger(record_.state(), record_.plan(), number));
  request.set_fitted_digest(record_.state()
                                .triggers()
                                .at(static_cast<size_t>(request.fitted_trigger() - 1))
                                .fitted_digest);
  request.set_model(config::Print(spec.model));
  models::TrainingSpec training = spec.training;
  training.placement.reset();  // It is for the pool, and makes no other training.
  request.set_training(config::Print(training));
  request.set_workers(spec.preprocess.WorkersText());
  const TriggerState* parent = record_.state().LastStoredBefore(number);
  if (spec.training.warm_start && parent != nullptr) {
    request.set_parent_model_id(parent->trigger.model_id());
  }
  if (spec.training.reuse) {
    const auto& sealed = record_.state().triggers().at(static_cast<size_t>(number - 1)).trigger;
    request.set_draw(models::DrawOf(sealed.training_set_digest()));
  }
  return request;
}

absl::StatusOr<trainer_server::v1::WatchTrainingResponse> ModelTrainer::Watch(
    trainer_server::v1::StartTrainingRequest request) {
  const int64_t number = request.trigger();
  trainer_server::v1::WatchTrainingResponse last;
  const auto report = [&](const trainer_server::v1::WatchTrainingResponse& update) {
    last = update;
    if (update.has_usage()) record_.step_usage().NoteJob(update.usage(), record_.usage());
    ReportTraining(number, update);
  };
  RETURN_IF_ERROR(patience_.RetryTransient(
      [&]() -> absl::Status {
        ASSIGN_OR_RETURN(const JobPlace at, slots_.Take(kTrainStage, number));
        request.set_attempt(at.attempt);
        request.set_slot(at.slot);
        RETURN_IF_ERROR(downstream_.StartTraining(at, request));
        FAILPOINT("supervisor.mid_train");
        const absl::Status watched = downstream_.WatchTraining(at, record_.run(), number, report);
        if (HasEnded(last)) return absl::OkStatus();
        return watched.ok() || absl::IsNotFound(watched) ? EndedBeforeItsTime(last) : watched;
      },
      [&] { return last.result().samples_done(); }));
  return last;
}

rpc::v1::TrainingStart ModelTrainer::StartOf(int64_t trigger,
                                             const rpc::v1::TrainingResult& result) const {
  rpc::v1::TrainingStart start = result.start();
  const auto& seconds =
      record_.state().triggers().at(static_cast<size_t>(trigger - 1)).trigger.stage_seconds();
  if (const auto select = seconds.find("select"); select != seconds.end()) {
    start.set_select_seconds(select->second);
  }
  if (const auto fit = seconds.find("fit"); fit != seconds.end()) {
    start.set_fit_seconds(fit->second);
  }
  return start;
}

void ModelTrainer::ReportTraining(int64_t trigger,
                                  const trainer_server::v1::WatchTrainingResponse& update) {
  const rpc::v1::TrainingResult& result = update.result();
  v1::Progress progress =
      ProgressOf("train", result.samples_done(), result.samples_total(), "samples");
  progress.set_trigger(trigger);
  progress.set_per_second(result.samples_per_second());
  progress.set_loss(result.loss());
  progress.set_wait_share(result.has_device_idle_share() ? result.device_idle_share()
                                                         : result.wait_share());
  progress.set_epoch(static_cast<int32_t>(result.epochs()));
  progress.set_device(result.device());
  *progress.mutable_path() = update.path();
  *progress.mutable_start() = StartOf(trigger, result);
  record_.Report(std::move(progress));
}

}  // namespace tidemill::supervisor
