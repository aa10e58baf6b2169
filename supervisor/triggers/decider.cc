#include "supervisor/triggers/decider.h"

#include <chrono>
#include <utility>

#include "supervisor/statistics/sealed_state.h"
#include "supervisor/triggers/number_names.h"

namespace tidemill::supervisor {
absl::StatusOr<Decider> Decider::Create(const TriggerSpec& spec, const std::string& sealed,
                                        EvidenceSource* source) {
  Decider decider(spec->MakePolicy(), source);
  if (!sealed.empty()) RETURN_IF_ERROR(decider.Restore(sealed));
  return decider;
}

absl::Status Decider::Restore(const std::string& sealed) {
  const auto state = nlohmann::json::parse(sealed, nullptr, /*allow_exceptions=*/false);
  return statistics::RestoreInto(state, *this);
}

Decider Decider::After(const TriggerSpec& spec, const Cut& at, EvidenceSource* source) {
  Decider decider(spec->MakePolicy(), source);
  decider.policy_->Fired(at);
  return decider;
}

std::string Decider::Seal() const { return statistics::SealState(*this).dump(); }

void Decider::Take(Samples samples) {
  policy_->Take(samples);
  num_samples_ += static_cast<int64_t>(samples.size());
  num_new_ += static_cast<int64_t>(samples.size());
}

absl::StatusOr<std::optional<Decision>> Decider::Next(Samples& ahead) {
  const auto point = policy_->NextPoint(ahead, kNoClock);
  if (!point) {
    Take(std::exchange(ahead, Samples()));
    return std::optional<Decision>();
  }
  Take(ahead.First(point->num_before));
  ahead = ahead.From(point->num_before);
  return DecideAt(point->at);
}

absl::StatusOr<std::optional<Decision>> Decider::Advance(Timestamp clock) {
  const auto point = policy_->NextPoint({}, clock);
  if (!point) return std::optional<Decision>();
  return DecideAt(point->at);
}

absl::StatusOr<Evidence> Decider::Gather(const Cut& at) {
  Evidence evidence{.at = at, .num_new = num_new_, .stop = stop_};
  for (const EvidenceRequest& request : policy_->Needs(at)) {
    if (source_ == nullptr) {
      return FailedPrecondition("the trigger policy needs more than the times of samples");
    }
    ASSIGN_OR_RETURN(EvidenceTable table, source_->Read(request));
    evidence.tables.push_back(std::move(table));
  }
  return evidence;
}

absl::StatusOr<std::optional<Decision>> Decider::DecideAt(const Cut& at) {
  using Clock = std::chrono::steady_clock;
  Decision decision = {.at = at};
  const Clock::time_point start = Clock::now();
  ASSIGN_OR_RETURN(const Evidence evidence, Gather(at));
  absl::StatusOr<Verdict> verdict = policy_->Decide(evidence);
  if (stop_.stop_requested()) return Cancelled("the decision is no longer needed");
  RETURN_IF_ERROR(verdict.status());
  decision.verdict = *std::move(verdict);
  decision.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  decision.fired = decision.verdict.fired();
  if (decision.fired && num_new_ == 0) {
    // Members of an ensemble may decide at different cuts between the same two samples.
    decision.fired = false;
    decision.cause = v1::DECISION_CAUSE_NOTHING_NEW;
  }
  Close(decision);
  return std::optional<Decision>(std::move(decision));
}

Decision Decider::Ask(const Cut& at) {
  Decision decision = {.at = at, .fired = true, .cause = v1::DECISION_CAUSE_REQUEST};
  decision.verdict =
      NewVerdict("request", ObservedOf({{number::kSamples, static_cast<double>(num_new_)}}));
  decision.verdict.set_fired(true);
  Close(decision);
  return decision;
}

void Decider::Close(Decision& decision) {
  decision.num_samples = std::exchange(num_samples_, 0);
  decision.num_new = num_new_;
  // If nothing is new, everything has been trained on.
  if (!decision.fired && decision.cause != v1::DECISION_CAUSE_NOTHING_NEW) return;
  if (decision.fired) num_trained_ = num_new_;
  num_new_ = 0;
  policy_->Fired(decision.at);
}

}  // namespace tidemill::supervisor
