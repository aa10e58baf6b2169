// Where a run decides: it shows its policy the stream, and records what the policy answers.
#include <utility>
#include <vector>

#include "base/failpoints.h"
#include "supervisor/conductor/conductor.h"
#include "supervisor/evidence/stored_evidence.h"
#include "supervisor/runs/cuts.h"
#include "supervisor/runs/label_delay.h"
#include "supervisor/runs/progress.h"

namespace tidemill::supervisor {
namespace {

// So many decisions go into the database at a time, or fewer where making them takes long: those
// that are not there yet are made again after a crash.
constexpr size_t kDecisionsAtATime = 1000;
constexpr std::chrono::seconds kLongestUnrecorded{5};
// Who watches sees progress no more often.
constexpr std::chrono::milliseconds kReportEvery{100};

// Stops a listing at the first decision that fires.
absl::Status EnoughSeen() { return Cancelled("a trigger has fired"); }

}  // namespace

absl::StatusOr<Duration> Conductor::LabelDelay() const { return LabelDelayOf(TrainingData()); }

storage::v1::ListSamplesRequest Conductor::Stream() const {
  storage::v1::ListSamplesRequest request;
  *request.mutable_snapshot() = stream_ ? stream_->snapshot() : TrainingData().snapshot();
  if (TrainingData().has_replay_from()) *request.mutable_from() = TrainingData().replay_from();
  if (TrainingData().has_replay_to()) *request.mutable_to() = TrainingData().replay_to();
  return request;
}

absl::Status Conductor::OpenEvidence() {
  ASSIGN_OR_RETURN(const Duration delay, LabelDelay());
  evidence_keys_ = std::make_unique<StoredKeys>(*downstream_, delay, [this] { return Stream(); });
  std::optional<ActiveModel> model;
  if (const TriggerState* active = state_.LastStored()) {
    const v1::Trigger& trained = active->trigger;
    model = {.model_id = trained.model_id(), .command = CommandFor("evidence", trained.number())};
  }
  const DatasetId dataset{TrainingData().snapshot().dataset_id()};
  ASSIGN_OR_RETURN(evidence_, StoredEvidence::Create(*downstream_, *evidence_keys_, dataset,
                                                     TrainingData().spec(), std::move(model)));
  return absl::OkStatus();
}

absl::StatusOr<Decider> Conductor::MakeDecider() {
  RETURN_IF_ERROR(OpenEvidence());
  if (!last_decision_) return Decider::Create(spec_.trigger, "", evidence_.get());
  absl::StatusOr<Decider> decider =
      last_decision_->state.empty()
          ? Decider::After(spec_.trigger, last_decision_->at, evidence_.get())
          : Decider::Create(spec_.trigger, last_decision_->state, evidence_.get());
  RETURN_IF_ERROR(decider.status());
  // The state behind a decision that fired knows nothing of the training that followed.
  const bool trained = !state_.triggers().empty() && state_.triggers().back().trained;
  if (!state_.triggers().empty() && state_.LastStored() == nullptr) decider->NoModel();
  if (last_decision_->fired && trained && decider->num_trained() > 0) {
    const auto& seconds = state_.triggers().back().trigger.stage_seconds();
    decider->Learn({.num_samples = decider->num_trained(), .seconds = seconds.at("train")});
  }
  return decider;
}

absl::Status Conductor::Decide() {
  if (spec_.live) return Follow();
  const auto fired = static_cast<int64_t>(state_.triggers().size());
  if (state_.max_triggers() > 0 && fired >= state_.max_triggers()) {
    return EndEarly();
  }
  Seen seen;
  RETURN_IF_ERROR(Insist([&]() -> absl::Status {
    ASSIGN_OR_RETURN(seen, SeekTrigger());
    return absl::OkStatus();
  }));
  const bool has_fired = !seen.decisions.empty() && seen.decisions.back().fired;
  RETURN_IF_ERROR(RecordDecisions(std::move(seen.decisions), std::move(seen.state)));
  if (!has_fired) return EndReplay(seen);
  FAILPOINT("supervisor.after_decision");
  return absl::OkStatus();
}

absl::Status Conductor::EndEarly() {
  v1::RunEvent event;
  v1::StreamEnded& ended = *event.mutable_stream_ended();
  ended.set_standing(fmt::format("no more than {} triggers were asked for", state_.max_triggers()));
  RETURN_IF_ERROR(Insist([&]() -> absl::Status {
    storage::v1::ListSamplesRequest request = Stream();
    ASSIGN_OR_RETURN(const Duration delay, LabelDelay());
    *request.mutable_from() = KnownAt(state_.triggers().back().trigger.at(), delay);
    int64_t num_leftover = 0;
    RETURN_IF_ERROR(downstream_->ListSamples(request, [&](const batch::Batch& chunk) {
      num_leftover += chunk.num_rows();
      return absl::OkStatus();
    }));
    ended.set_num_leftover(num_leftover);
    return absl::OkStatus();
  }));
  return Record(event);
}

absl::Status Conductor::EndReplay(const Seen& seen) {
  v1::RunEvent event;
  v1::StreamEnded& ended = *event.mutable_stream_ended();
  ended.set_num_leftover(seen.num_new);
  ended.set_standing(seen.standing);
  // A replay that ends before its dataset does is evaluated on the rest, too.
  const v1::DatasetSynced& dataset = TrainingData();
  if (!dataset.has_replay_to() || dataset.replay_to().event_time() >= dataset.to().event_time()) {
    *ended.mutable_end() = ToProto(seen.end);
  }
  ended.set_dataset(dataset.name());
  return Record(event);
}

void Conductor::ReportDeciding(int64_t num_new, int64_t event_time) {
  const v1::DatasetSynced& data = TrainingData();
  const int64_t seen = NumBehind(state_) + num_new;
  v1::Progress progress = ProgressOf("decide", seen, data.num_samples(), "samples");
  progress.set_share(ShareBehind(data, seen, event_time));
  Report(std::move(progress));
}

absl::StatusOr<storage::v1::ListSamplesRequest> Conductor::StreamBehindLastDecision() const {
  storage::v1::ListSamplesRequest request = Stream();
  ASSIGN_OR_RETURN(const Duration delay, LabelDelay());
  if (last_decision_) *request.mutable_from() = KnownAt(ToProto(last_decision_->at), delay);
  return request;
}

// Shows the policy the stream from the last decision on, until it fires or the stream ends. With a
// delay of labels it sees each sample at the time at which its label becomes known, so a trigger
// has as many samples to train on as the policy counted.
absl::StatusOr<Conductor::Seen> Conductor::SeekTrigger() {
  ASSIGN_OR_RETURN(Decider decider, MakeDecider());
  ASSIGN_OR_RETURN(const Duration delay, LabelDelay());
  ASSIGN_OR_RETURN(const auto request, StreamBehindLastDecision());
  Seen seen;
  if (last_decision_) seen.end = FromProto(request.from());
  bool fired = false;
  std::optional<Verdict> last;
  auto recorded = std::chrono::steady_clock::now();
  auto reported = recorded - kReportEvery;
  const absl::Status listed =
      downstream_->ListSamples(request, [&](const batch::Batch& chunk) -> absl::Status {
        ASSIGN_OR_RETURN(const batch::Column* column,
                         chunk.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
        const auto times = column->Values<int64_t>();
        if (times.empty()) return absl::OkStatus();
        seen.end = {{times.back()}, {chunk.keys().back() + 1}};
        std::vector<int64_t> known(times.begin(), times.end());
        for (int64_t& time : known) time += delay.micros;
        Samples ahead{known, chunk.keys()};
        while (true) {
          ASSIGN_OR_RETURN(auto decision, decider.Next(ahead));
          if (!decision) break;
          fired = decision->fired;
          seen.decisions.push_back(*std::move(decision));
          if (fired) return EnoughSeen();
          last = seen.decisions.back().verdict;
          const auto now = std::chrono::steady_clock::now();
          if (now - reported > kReportEvery) {
            reported = now;
            ReportDeciding(decider.num_new(), seen.decisions.back().at.event_time.micros);
          }
          if (seen.decisions.size() < kDecisionsAtATime && now - recorded < kLongestUnrecorded) {
            continue;
          }
          recorded = now;
          RETURN_IF_ERROR(RecordDecisions(std::exchange(seen.decisions, {}), decider.Seal()));
        }
        ReportDeciding(decider.num_new(), times.back());
        return absl::OkStatus();
      });
  if (!fired) RETURN_IF_ERROR(listed);
  seen.state = decider.Seal();
  seen.num_new = decider.num_new();
  seen.standing = decider.Standing();
  if (last && last->evaluated) {
    seen.standing += "; the last evaluation before: " + Explain(spec_.trigger, *last);
  }
  return seen;
}

// Cuts ascend, so the new data of two triggers never overlap: what was trained on before a window
// is not in it.
absl::Status Conductor::RecordDecisions(std::vector<Decision> decisions, std::string state) {
  if (decisions.empty()) return absl::OkStatus();
  std::optional<Cut> before;
  if (last_decision_) before = last_decision_->at;
  for (const Decision& decision : decisions) {
    if (before && decision.at <= *before) {
      return Internal("the trigger policy went back from {} to {}",
                      FormatTimestamp(before->event_time), FormatTimestamp(decision.at.event_time));
    }
    before = decision.at;
  }
  DecisionBatch batch{.first_number = last_decision_ ? last_decision_->number + 1 : 1,
                      .decisions = std::move(decisions),
                      .state = std::move(state)};
  const Decision& last = batch.decisions.back();
  if (last.fired) {
    v1::RunEvent event;
    v1::TriggerFired& trigger = *event.mutable_trigger_fired();
    batch.trigger = static_cast<int64_t>(state_.triggers().size()) + 1;
    trigger.set_trigger(batch.trigger);
    *trigger.mutable_at() = ToProto(last.at);
    trigger.set_num_samples(last.num_new);
    if (spec_.live) RETURN_IF_ERROR(AddWhatIsKnown(trigger));
    RETURN_IF_ERROR(Record(event, batch));
  } else {
    RETURN_IF_ERROR(Transact([&](pqxx::work& work) -> absl::Status {
      RETURN_IF_ERROR(HoldEpoch(work, run_, epoch_));
      AddDecisions(work, run_, batch);
      return absl::OkStatus();
    }));
    FAILPOINT("supervisor.after_unfired_decisions");
  }
  const auto count = static_cast<int64_t>(batch.decisions.size());
  last_decision_ = LastDecision{.number = batch.first_number + count - 1,
                                .at = last.at,
                                .fired = last.fired,
                                .state = std::move(batch.state)};
  return absl::OkStatus();
}

}  // namespace tidemill::supervisor
