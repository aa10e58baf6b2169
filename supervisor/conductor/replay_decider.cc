#include "supervisor/conductor/replay_decider.h"

#include <utility>

#include "base/failpoints.h"
#include "supervisor/runs/cuts.h"
#include "supervisor/runs/label_delay.h"

namespace tidemill::supervisor {

ReplayDecider::ReplayDecider(RunRecord& record, Downstream& downstream, Patience& patience)
    : record_(record),
      downstream_(downstream),
      patience_(patience),
      policy_(
          record, downstream, [this] { return Stream(); }, patience.token()) {}

storage::v1::ListSamplesRequest ReplayDecider::Stream() const {
  return StreamAt(record_.TrainingData(), record_.TrainingData().snapshot());
}

absl::Status ReplayDecider::Decide() {
  const RunState& state = record_.state();
  const auto num_fired = static_cast<int64_t>(state.triggers().size());
  if (state.max_triggers() > 0 && num_fired >= state.max_triggers()) return EndEarly();
  TriggerSearch::Seen seen;
  RETURN_IF_ERROR(patience_.RetryTransient([&]() -> absl::Status {
    ASSIGN_OR_RETURN(seen, SeekTrigger());
    return absl::OkStatus();
  }));
  const bool has_fired = !seen.decisions.empty() && seen.decisions.back().fired;
  RETURN_IF_ERROR(policy_.Record(std::move(seen.decisions), std::move(seen.state)));
  if (!has_fired) return End(seen);
  FAILPOINT("supervisor.after_decision");
  return absl::OkStatus();
}

absl::StatusOr<TriggerSearch::Seen> ReplayDecider::SeekTrigger() {
  ASSIGN_OR_RETURN(Decider decider, policy_.Make());
  ASSIGN_OR_RETURN(const Duration delay, record_.LabelDelay());
  storage::v1::ListSamplesRequest request = Stream();
  Cut begin;
  if (const std::optional<LastDecision>& last = record_.last_decision()) {
    *request.mutable_from() = KnownAt(ToProto(last->at), delay);
    begin = FromProto(request.from());
  }
  TriggerSearch search(record_, policy_, std::move(decider), delay, begin);
  const absl::Status listed = downstream_.ListSamples(
      request, [&](const batch::Batch& chunk) { return search.Take(chunk); });
  if (!search.fired()) RETURN_IF_ERROR(listed);
  return std::move(search).Finish();
}

absl::Status ReplayDecider::EndEarly() {
  const RunState& state = record_.state();
  v1::RunEvent event;
  v1::StreamEnded& ended = *event.mutable_stream_ended();
  ended.set_standing(fmt::format("the run may fire at most {} triggers", state.max_triggers()));
  RETURN_IF_ERROR(patience_.RetryTransient([&]() -> absl::Status {
    storage::v1::ListSamplesRequest request = Stream();
    ASSIGN_OR_RETURN(const Duration delay, record_.LabelDelay());
    *request.mutable_from() = KnownAt(state.triggers().back().trigger.at(), delay);
    int64_t num_leftover = 0;
    RETURN_IF_ERROR(downstream_.ListSamples(request, [&](const batch::Batch& chunk) {
      num_leftover += chunk.num_rows();
      return absl::OkStatus();
    }));
    ended.set_num_leftover(num_leftover);
    return absl::OkStatus();
  }));
  return record_.Record(event);
}

absl::Status ReplayDecider::End(const TriggerSearch::Seen& seen) {
  v1::RunEvent event;
  v1::StreamEnded& ended = *event.mutable_stream_ended();
  ended.set_num_leftover(seen.num_new);
  ended.set_standing(seen.standing);
  // A replay that ends before its dataset does is evaluated on the rest, too.
  const v1::DatasetSynced& dataset = record_.TrainingData();
  if (!dataset.has_replay_to() || dataset.replay_to().event_time() >= dataset.to().event_time()) {
    *ended.mutable_end() = ToProto(seen.end);
  }
  ended.set_dataset(dataset.name());
  return record_.Record(event);
}

}  // namespace tidemill::supervisor
