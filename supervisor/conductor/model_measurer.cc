#include "supervisor/conductor/model_measurer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/failpoints.h"
#include "config/config.h"
#include "supervisor/measuring/later_uses.h"
#include "supervisor/measuring/live_windows.h"
#include "supervisor/runs/label_delay.h"
#include "supervisor/runs/progress.h"
#include "supervisor/steps/stopwatch.h"

namespace tidemill::supervisor {
namespace {

v1::RunEvent FinishedEvent(const RunState& state, int32_t evaluation, int num_windows,
                           double seconds) {
  v1::RunEvent event;
  v1::EvaluationFinished& finished = *event.mutable_evaluation_finished();
  finished.set_evaluation(evaluation);
  finished.set_num_windows(num_windows);
  finished.set_seconds(seconds);
  finished.set_round(state.round());
  const auto& triggers = state.triggers();
  finished.set_num_removed_models(
      std::count_if(triggers.begin(), triggers.end(),
                    [](const TriggerState& trigger) { return trigger.trigger.removed(); }));
  return event;
}

}  // namespace

absl::StatusOr<rpc::v1::Snapshot> SnapshotToMeasure(const RunRecord& record) {
  const RunState& state = record.state();
  const std::vector<TriggerState> stored = StoredTriggers(state);
  rpc::v1::Snapshot snapshot = record.TrainingData().snapshot();
  if (state.stream_ended()) {
    snapshot = state.end_snapshot();
  } else if (!stored.empty()) {
    snapshot = *stored.back().snapshot;
  }
  if (record.spec().live->late == LatePolicy::kQuarantine) {
    ASSIGN_OR_RETURN(const Duration delay, record.LabelDelay());
    AddHorizons(state.triggers(), delay, snapshot);
  }
  return snapshot;
}

absl::Status ModelMeasurer::Evaluate(int32_t evaluation) {
  FAILPOINT("supervisor.before_evaluate");
  const Stopwatch stopwatch;
  ASSIGN_OR_RETURN(const auto request, RequestFor(evaluation));
  evaluator::v1::WatchEvaluationResponse end;
  if (request.model_ids_size() > 0 && request.windows_size() > 0) {
    const auto measured = Watch(request);
    RETURN_IF_ERROR(slots_.Return(kEvaluateStage, request.evaluation()));
    RETURN_IF_ERROR(measured.status());
    end = *measured;
  }
  FAILPOINT("supervisor.after_evaluate");
  v1::RunEvent event =
      FinishedEvent(record_.state(), evaluation, request.windows_size(), stopwatch.Seconds());
  v1::EvaluationFinished& finished = *event.mutable_evaluation_finished();
  *finished.mutable_faults() = end.faults();
  const bool has_workers = !request.workers().empty();
  if (has_workers) finished.set_num_prepared_at_workers(end.num_prepared_at_workers());
  if (has_workers || !record_.spec().training.cache->IsOff()) {
    finished.set_num_prepared_here(end.num_prepared_here());
    finished.set_num_found(end.num_found());
  }
  return record_.Record(event);
}

absl::StatusOr<evaluator::v1::WatchEvaluationResponse> ModelMeasurer::Watch(
    evaluator::v1::StartEvaluationRequest request) {
  evaluator::v1::WatchEvaluationResponse last;
  const auto report = [&](const evaluator::v1::WatchEvaluationResponse& update) {
    last = update;
    if (update.has_usage()) record_.step_usage().NoteJob(update.usage(), record_.usage());
    v1::Progress progress =
        ProgressOf("evaluate", update.windows_done(), update.windows_total(), "windows");
    progress.set_device(update.device());
    record_.Report(std::move(progress));
  };
  RETURN_IF_ERROR(patience_.RetryTransient(
      [&]() -> absl::Status {
        ASSIGN_OR_RETURN(const JobPlace at, slots_.Take(kEvaluateStage, request.evaluation()));
        request.set_slot(at.slot);
        RETURN_IF_ERROR(downstream_.StartEvaluation(at, request));
        const absl::Status watched =
            downstream_.WatchEvaluation(at, record_.run(), request.evaluation(), report);
        if (last.state() == evaluator::v1::EVALUATION_STATE_DONE) return absl::OkStatus();
        if (last.state() == evaluator::v1::EVALUATION_STATE_FAILED) {
          return Internal("{}", last.error());
        }
        return watched.ok() || absl::IsNotFound(watched)
                   ? Unavailable("the evaluation ended too early")
                   : watched;
      },
      [&] { return last.samples_done(); }));
  return last;
}

absl::StatusOr<evaluator::v1::StartEvaluationRequest> ModelMeasurer::RequestFor(
    int32_t evaluation) const {
  const PipelineSpec& pipeline = record_.spec();
  const evaluator::EvaluationSpec& spec = pipeline.evaluation.at(static_cast<size_t>(evaluation));
  const v1::DatasetSynced& dataset = record_.state().datasets().at(spec.dataset);
  evaluator::v1::StartEvaluationRequest request;
  // Each round of a live run is a separate evaluation for the evaluator.
  const int32_t number = evaluation + record_.plan().num_evaluations * record_.state().round();
  *request.mutable_command() = record_.CommandFor("evaluate", number);
  request.set_evaluation(number);
  *request.mutable_snapshot() = dataset.snapshot();
  if (pipeline.live && spec.dataset == pipeline.preprocess.dataset) {
    ASSIGN_OR_RETURN(*request.mutable_snapshot(), SnapshotToMeasure(record_));
  }
  request.set_dataset_name(dataset.name());
  request.set_dataset_spec(dataset.spec());
  request.set_graph(config::Print(pipeline.preprocess.graph));
  request.set_workers(pipeline.preprocess.WorkersText());
  request.set_cache(config::Print(pipeline.training.cache));
  request.set_later_uses(LaterUsesOf(record_.state(), pipeline, evaluation));
  RETURN_IF_ERROR(AddWindows(spec, request));
  ASSIGN_OR_RETURN(*request.mutable_known_labels(), KnownLabels());
  request.set_evaluation_spec(config::Print(spec));
  return request;
}

absl::Status ModelMeasurer::AddWindows(const evaluator::EvaluationSpec& spec,
                                       evaluator::v1::StartEvaluationRequest& request) const {
  ASSIGN_OR_RETURN(WindowsOfRound round,
                   WindowsToMeasureNow(record_.state(), record_.spec(), spec));
  for (const int64_t model : round.model_ids) request.add_model_ids(model);
  ASSIGN_OR_RETURN(const Duration delay, record_.LabelDelay());
  for (evaluator::v1::Window& window : round.windows) {
    if (window.has_known_to()) *window.mutable_known_to() = KnownAt(window.known_to(), delay);
    *request.add_windows() = std::move(window);
  }
  return absl::OkStatus();
}

absl::StatusOr<evaluator::v1::KnownLabels> ModelMeasurer::KnownLabels() const {
  const v1::DatasetSynced& data = record_.TrainingData();
  evaluator::v1::KnownLabels known;
  *known.mutable_snapshot() = data.snapshot();
  if (record_.spec().live) {
    ASSIGN_OR_RETURN(*known.mutable_snapshot(), SnapshotToMeasure(record_));
    ASSIGN_OR_RETURN(const Duration delay, record_.LabelDelay());
    known.mutable_snapshot()->clear_horizons();
    AddHorizons(record_.state().triggers(), delay, *known.mutable_snapshot());
  }
  if (data.has_replay_from()) *known.mutable_from() = data.replay_from();
  return known;
}

}  // namespace tidemill::supervisor
