#include "supervisor/conductor/live_follower.h"

#include <utility>

#include "base/failpoints.h"
#include "supervisor/runs/cuts.h"

namespace tidemill::supervisor {
namespace {

// The number of samples that show how those of the stream follow one another.
constexpr int64_t kTellingSamples = 32;

// The last trigger that is followed by at least kTellingSamples samples.
std::optional<Cut> BaseOf(const RunState& state) {
  int64_t num_samples = 0;
  for (auto trigger = state.triggers().rbegin(); trigger != state.triggers().rend(); ++trigger) {
    if (num_samples >= kTellingSamples) return FromProto(trigger->trigger.at());
    num_samples += trigger->num_new;
  }
  return std::nullopt;
}

}  // namespace

LiveFollower::LiveFollower(RunRecord& record, Downstream& downstream, Patience& patience)
    : record_(record),
      downstream_(downstream),
      patience_(patience),
      policy_(
          record, downstream,
          [this] { return StreamAt(record_.TrainingData(), stream_->snapshot()); },
          patience.token()) {}

absl::Status LiveFollower::OpenStream() {
  if (stream_ != nullptr) return absl::OkStatus();
  const DatasetId dataset{record_.TrainingData().snapshot().dataset_id()};
  ASSIGN_OR_RETURN(const Duration delay, record_.LabelDelay());
  stream_ = std::make_unique<LiveStream>(downstream_, record_.spec(), dataset, delay,
                                         [this] { return policy_.Make(); });
  return absl::OkStatus();
}

absl::Status LiveFollower::Follow() {
  RETURN_IF_ERROR(OpenStream());
  LiveStream::Place place{.base = BaseOf(record_.state())};
  if (record_.last_decision()) place.last = record_.last_decision()->at;
  const RunState& state = record_.state();
  LiveStream::Decided decided;
  RETURN_IF_ERROR(patience_.RetryTransient([&]() -> absl::Status {
    ASSIGN_OR_RETURN(decided, stream_->Advance(place, Moment(), state.trigger_requested()));
    return absl::OkStatus();
  }));
  RETURN_IF_ERROR(RecordSamplesAhead());
  const auto num_fired = static_cast<int64_t>(state.triggers().size());
  const bool enough = state.max_triggers() > 0 && num_fired >= state.max_triggers();
  if (enough || state.stop_requested()) return EndStream();
  if (decided.decisions.empty()) {
    ReportWaiting();
    patience_.Pause(PollInterval(*record_.spec().live));
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(
      policy_.Record(std::move(decided.decisions), std::move(decided.state),
                     [this](v1::TriggerFired& fired) { return AddWhatIsKnown(fired); }));
  FAILPOINT("supervisor.after_decision");
  return absl::OkStatus();
}

absl::Status LiveFollower::RecordSamplesAhead() {
  const EventClock::Reached& reached = stream_->reached();
  const int64_t told = record_.state().samples_ahead().num_samples();
  const bool is_news =
      reached.num_ahead == 0 ? told > 0 : told == 0 || reached.num_ahead >= 2 * told;
  if (!is_news) return absl::OkStatus();
  v1::RunEvent event;
  v1::SamplesAhead& ahead = *event.mutable_samples_ahead();
  ahead.set_num_samples(reached.num_ahead);
  ahead.set_first_event_time(reached.first_ahead);
  if (reached.time) ahead.set_reached_event_time(*reached.time);
  return record_.Record(event);
}

void LiveFollower::ReportWaiting() {
  v1::Progress progress;
  progress.set_stage("follow");
  progress.set_trigger(static_cast<int64_t>(record_.state().triggers().size()) + 1);
  progress.set_done(stream_->num_shown());
  progress.set_unit("samples");
  record_.Report(std::move(progress));
}

absl::StatusOr<int64_t> LiveFollower::CountLate() const {
  if (record_.state().triggers().empty()) return 0;
  const TriggerState& last = record_.state().triggers().back();
  return stream_->CountLate(FromProto(last.trigger.at()), *last.snapshot);
}

absl::Status LiveFollower::AddWhatIsKnown(v1::TriggerFired& trigger) {
  *trigger.mutable_snapshot() = stream_->snapshot();
  trigger.set_dataset(record_.TrainingData().name());
  return patience_.RetryTransient([&]() -> absl::Status {
    if (trigger.trigger() == 1) {
      ASSIGN_OR_RETURN(const auto first, stream_->First());
      if (first) *trigger.mutable_stream_from() = ToProto(*first);
    }
    ASSIGN_OR_RETURN(const int64_t late, CountLate());
    trigger.set_num_late(late);
    return absl::OkStatus();
  });
}

absl::Status LiveFollower::EndStream() {
  const std::vector<TriggerState>& triggers = record_.state().triggers();
  std::optional<Cut> from;
  if (!triggers.empty()) from = FromProto(triggers.back().trigger.at());
  v1::RunEvent event;
  v1::StreamEnded& ended = *event.mutable_stream_ended();
  ended.set_dataset(record_.TrainingData().name());
  *ended.mutable_snapshot() = stream_->snapshot();
  ended.set_standing(stream_->standing());
  RETURN_IF_ERROR(patience_.RetryTransient([&]() -> absl::Status {
    ASSIGN_OR_RETURN(const LiveStream::Rest rest, stream_->RestFrom(from));
    ended.set_num_leftover(rest.num_samples);
    if (rest.end) *ended.mutable_end() = ToProto(*rest.end);
    ASSIGN_OR_RETURN(const int64_t late, CountLate());
    ended.set_num_late(late);
    return absl::OkStatus();
  }));
  return record_.Record(event);
}

}  // namespace tidemill::supervisor
