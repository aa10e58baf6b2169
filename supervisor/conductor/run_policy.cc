#include "supervisor/conductor/run_policy.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/failpoints.h"
#include "rpc/usage/money.h"
#include "rpc/usage/usage_message.h"
#include "supervisor/evidence/stored_evidence.h"
#include "supervisor/runs/cuts.h"

namespace tidemill::supervisor {
namespace {

// The new data of two triggers never overlap: what was trained on before a window is not in it.
absl::Status CheckAscending(std::optional<Cut> before, const std::vector<Decision>& decisions) {
  for (const Decision& decision : decisions) {
    if (before && decision.at <= *before) {
      return Internal("the trigger policy went back from {} to {}",
                      FormatTimestamp(before->event_time), FormatTimestamp(decision.at.event_time));
    }
    before = decision.at;
  }
  return absl::OkStatus();
}

// One event for all decisions that could not be made; none where each was.
std::vector<v1::RunEvent> FaultsOf(const std::vector<Decision>& decisions) {
  std::vector<v1::RunEvent> events;
  for (const Decision& decision : decisions) {
    const v1::PolicyFault* const fault = FaultOf(decision.verdict);
    if (fault == nullptr) continue;
    if (events.empty()) {
      v1::PolicyFaulted& faulted = *events.emplace_back().mutable_policy_faulted();
      *faulted.mutable_at() = ToProto(decision.at);
      *faulted.mutable_fault() = *fault;
      faulted.set_fired(decision.verdict.fired());
    }
    v1::PolicyFaulted& faulted = *events.front().mutable_policy_faulted();
    faulted.set_num_decisions(faulted.num_decisions() + 1);
  }
  return events;
}

}  // namespace

storage::v1::ListSamplesRequest StreamAt(const v1::DatasetSynced& data,
                                         const rpc::v1::Snapshot& snapshot) {
  storage::v1::ListSamplesRequest request;
  *request.mutable_snapshot() = snapshot;
  if (data.has_replay_from()) *request.mutable_from() = data.replay_from();
  if (data.has_replay_to()) *request.mutable_to() = data.replay_to();
  return request;
}

RunPolicy::RunPolicy(RunRecord& record, Downstream& downstream, StoredKeys::Listing listing,
                     std::stop_token stop)
    : record_(record),
      downstream_(downstream),
      listing_(std::move(listing)),
      stop_(std::move(stop)) {}

absl::Status RunPolicy::OpenEvidence() {
  ASSIGN_OR_RETURN(const Duration delay, record_.LabelDelay());
  evidence_keys_ = std::make_unique<StoredKeys>(downstream_, delay, listing_);
  std::optional<ActiveModel> model;
  if (const TriggerState* active = record_.state().LastStored()) {
    const v1::Trigger& trained = active->trigger;
    model = {.model_id = trained.model_id(),
             .command = record_.CommandFor("evidence", trained.number()),
             .workers = record_.spec().preprocess.WorkersText()};
  }
  const v1::DatasetSynced& data = record_.TrainingData();
  ASSIGN_OR_RETURN(evidence_, StoredEvidence::Create(downstream_, *evidence_keys_,
                                                     {data.snapshot().dataset_id()}, data.spec(),
                                                     std::move(model)));
  return absl::OkStatus();
}

absl::StatusOr<Decider> RunPolicy::Make() {
  RETURN_IF_ERROR(OpenEvidence());
  ASSIGN_OR_RETURN(Decider decider, Restore());
  decider.EndAt(stop_);
  decider.BelongTo(hosts_);
  return decider;
}

absl::StatusOr<Decider> RunPolicy::Restore() {
  const TriggerSpec& spec = record_.spec().trigger;
  const std::optional<LastDecision>& last = record_.last_decision();
  if (!last) return Decider::Create(spec, "", evidence_.get());
  absl::StatusOr<Decider> decider = last->state.empty()
                                        ? Decider::After(spec, last->at, evidence_.get())
                                        : Decider::Create(spec, last->state, evidence_.get());
  RETURN_IF_ERROR(decider.status());
  // The state after a decision that fired knows nothing of the training that followed.
  const std::vector<TriggerState>& triggers = record_.state().triggers();
  const bool trained = !triggers.empty() && triggers.back().trained;
  if (!triggers.empty() && record_.state().LastStored() == nullptr) decider->NoModel();
  if (last->fired && trained && decider->num_trained() > 0) {
    decider->Learn(CostOf(triggers.back().trigger, decider->num_trained()));
  }
  return decider;
}

// All that events say, so that a policy learns the same whenever it is restored.
TrainingCost RunPolicy::CostOf(const v1::Trigger& trigger, int64_t num_trained) const {
  usage::Amounts used;
  for (const char* stage : {"select", "fit", "train", "store"}) {
    used += record_.usage().Of(trigger.number(), stage);
  }
  const rpc::v1::Usage amounts = rpc::ToMessage(used);
  TrainingCost cost = {
      .num_samples = num_trained,
      .seconds = trigger.stage_seconds().at("train"),
      .processor_seconds = static_cast<double>(rpc::ProcessorNanos(amounts)) / 1e9};
  const std::optional<rpc::v1::Prices>& prices = record_.usage().prices();
  if (prices) cost.money = rpc::MoneyOf(amounts, *prices).once;
  return cost;
}

std::vector<v1::RunEvent> RunPolicy::DeathsOfPlugins() {
  std::vector<v1::RunEvent> events;
  for (plugin::HostDeath& death : hosts_->TakeDeaths()) {
    v1::PluginDied& died = *events.emplace_back().mutable_plugin_died();
    died.set_plugin(std::move(death.plugin));
    died.set_what(std::move(death.what));
  }
  return events;
}

v1::RunEvent RunPolicy::TriggerOf(DecisionBatch& batch) const {
  batch.trigger = static_cast<int64_t>(record_.state().triggers().size()) + 1;
  v1::RunEvent event;
  v1::TriggerFired& trigger = *event.mutable_trigger_fired();
  trigger.set_trigger(batch.trigger);
  *trigger.mutable_at() = ToProto(batch.decisions.back().at);
  trigger.set_num_samples(batch.decisions.back().num_new);
  return event;
}

absl::Status RunPolicy::Record(std::vector<Decision> decisions, std::string state,
                               const AddToTrigger& add) {
  if (decisions.empty()) return absl::OkStatus();
  // The decisions of that time would be trained on.
  if (stop_.stop_requested()) return Cancelled("the run is being stopped");
  const std::optional<LastDecision>& before = record_.last_decision();
  RETURN_IF_ERROR(CheckAscending(before ? std::optional(before->at) : std::nullopt, decisions));
  DecisionBatch batch{.first_number = before ? before->number + 1 : 1,
                      .decisions = std::move(decisions),
                      .state = std::move(state)};
  std::vector<v1::RunEvent> events = DeathsOfPlugins();
  std::ranges::move(FaultsOf(batch.decisions), std::back_inserter(events));
  const bool has_fired = batch.decisions.back().fired;
  if (has_fired) {
    events.push_back(TriggerOf(batch));
    if (add) RETURN_IF_ERROR(add(*events.back().mutable_trigger_fired()));
  }
  RETURN_IF_ERROR(record_.RecordDecisions(events, std::move(batch)));
  if (!has_fired) FAILPOINT("supervisor.after_unfired_decisions");
  return absl::OkStatus();
}

}  // namespace tidemill::supervisor
