// What a live run does besides: it follows its stream, and ends it when it is stopped.
#include <utility>

#include "base/failpoints.h"
#include "supervisor/conductor/conductor.h"
#include "supervisor/measuring/live_windows.h"
#include "supervisor/runs/cuts.h"

namespace tidemill::supervisor {

std::chrono::milliseconds Conductor::PollInterval() const {
  return std::chrono::milliseconds(std::max<int64_t>(1, spec_.live->poll.micros / 1000));
}

absl::Status Conductor::Follow() {
  if (stream_ == nullptr) {
    const DatasetId dataset{TrainingData().snapshot().dataset_id()};
    ASSIGN_OR_RETURN(const Duration delay, LabelDelay());
    stream_ = std::make_unique<LiveStream>(*downstream_, spec_, dataset, delay,
                                           [this] { return MakeDecider(); });
  }
  std::optional<Cut> last;
  if (last_decision_) last = last_decision_->at;
  LiveStream::Decided decided;
  RETURN_IF_ERROR(Insist([&]() -> absl::Status {
    ASSIGN_OR_RETURN(decided, stream_->Advance(last, Moment(), state_.trigger_requested()));
    return absl::OkStatus();
  }));
  const auto fired = static_cast<int64_t>(state_.triggers().size());
  const bool enough = state_.max_triggers() > 0 && fired >= state_.max_triggers();
  if (enough || state_.stop_requested()) return EndLiveStream();
  if (!decided.decisions.empty()) {
    RETURN_IF_ERROR(RecordDecisions(std::move(decided.decisions), std::move(decided.state)));
    FAILPOINT("supervisor.after_decision");
    return absl::OkStatus();
  }
  v1::Progress progress;
  progress.set_stage("follow");
  progress.set_trigger(fired + 1);
  progress.set_done(stream_->num_shown());
  progress.set_unit("samples");
  Report(progress);
  Pause(PollInterval());
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Conductor::CountLate() const {
  if (state_.triggers().empty()) return 0;
  const TriggerState& last = state_.triggers().back();
  return stream_->CountLate(FromProto(last.trigger.at()), *last.snapshot);
}

absl::Status Conductor::AddWhatIsKnown(v1::TriggerFired& trigger) {
  *trigger.mutable_snapshot() = stream_->snapshot();
  trigger.set_dataset(TrainingData().name());
  return Insist([&]() -> absl::Status {
    if (trigger.trigger() == 1) {
      ASSIGN_OR_RETURN(const auto first, stream_->First());
      if (first) *trigger.mutable_stream_from() = ToProto(*first);
    }
    ASSIGN_OR_RETURN(const int64_t late, CountLate());
    trigger.set_num_late(late);
    return absl::OkStatus();
  });
}

absl::Status Conductor::EndLiveStream() {
  std::optional<Cut> from;
  if (!state_.triggers().empty()) from = FromProto(state_.triggers().back().trigger.at());
  v1::RunEvent event;
  v1::StreamEnded& ended = *event.mutable_stream_ended();
  ended.set_dataset(TrainingData().name());
  *ended.mutable_snapshot() = stream_->snapshot();
  ended.set_standing(stream_->standing());
  RETURN_IF_ERROR(Insist([&]() -> absl::Status {
    ASSIGN_OR_RETURN(const LiveStream::Rest rest, stream_->RestFrom(from));
    ended.set_num_leftover(rest.num_samples);
    if (rest.end) *ended.mutable_end() = ToProto(*rest.end);
    ASSIGN_OR_RETURN(const int64_t late, CountLate());
    ended.set_num_late(late);
    return absl::OkStatus();
  }));
  return Record(event);
}

void Conductor::AddLateSamples(const TriggerState& trigger, Duration label_delay,
                               selector::v1::SealTrainingSetRequest& request) const {
  const int64_t number = trigger.trigger.number();
  *request.mutable_snapshot() = *trigger.snapshot;
  const bool accept = spec_.live->late == LatePolicy::kAccept;
  request.set_accept_late(accept);
  // The trigger that selects is the last one.
  if (!accept) AddHorizons(state_.triggers(), label_delay, *request.mutable_snapshot());
  if (number == 1) return;
  const TriggerState& before = state_.triggers().at(static_cast<size_t>(number - 2));
  request.set_late_after_key(before.snapshot->committed_key());
}

absl::StatusOr<rpc::v1::Snapshot> Conductor::SnapshotToMeasure() const {
  const std::vector<TriggerState> stored = StoredTriggers(state_);
  rpc::v1::Snapshot snapshot = TrainingData().snapshot();
  if (state_.stream_ended()) {
    snapshot = state_.end_snapshot();
  } else if (!stored.empty()) {
    snapshot = *stored.back().snapshot;
  }
  if (spec_.live->late == LatePolicy::kQuarantine) {
    ASSIGN_OR_RETURN(const Duration delay, LabelDelay());
    AddHorizons(state_.triggers(), delay, snapshot);
  }
  return snapshot;
}

absl::StatusOr<evaluator::v1::KnownLabels> Conductor::KnownLabels() const {
  evaluator::v1::KnownLabels known;
  *known.mutable_snapshot() = TrainingData().snapshot();
  if (spec_.live) {
    ASSIGN_OR_RETURN(*known.mutable_snapshot(), SnapshotToMeasure());
    ASSIGN_OR_RETURN(const Duration delay, LabelDelay());
    known.mutable_snapshot()->clear_horizons();
    AddHorizons(state_.triggers(), delay, *known.mutable_snapshot());
  }
  if (TrainingData().has_replay_from()) *known.mutable_from() = TrainingData().replay_from();
  return known;
}

absl::Status Conductor::Retire() {
  const auto retired = ToRetire(state_, plan_);
  if (!retired) return absl::OkStatus();
  RETURN_IF_ERROR(Insist(
      [&] { return downstream_->Retire(CommandFor("retire", state_.num_stored()), *retired); }));
  FAILPOINT("supervisor.after_retire");
  v1::RunEvent event;
  *event.mutable_models_retired() = *retired;
  return Record(event);
}

absl::Status Conductor::Finish() {
  v1::RunEvent event;
  if (state_.NothingTrained()) {
    const v1::Trigger& first = state_.triggers().front().trigger;
    event.mutable_run_failed()->set_error(
        fmt::format("no training succeeded, of {}; trigger {}: {}", state_.triggers().size(),
                    first.number(), first.skip_reason()));
  } else if (state_.stop_requested()) {
    event.mutable_run_stopped();
  } else {
    event.mutable_run_succeeded();
  }
  return Record(event);
}

}  // namespace tidemill::supervisor
