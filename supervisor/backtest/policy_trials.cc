#include "supervisor/backtest/policy_trials.h"

#include <string>
#include <utility>

#include "config/config.h"
#include "supervisor/backtest/false_alarm_count.h"
#include "supervisor/runs/cuts.h"

namespace tidemill::supervisor {
namespace {

v1::BacktestResult ResultOf(const NamedPolicy& policy, const BacktestResult& result) {
  v1::BacktestResult proto;
  proto.set_name(policy.name);
  proto.set_own(policy.own);
  proto.set_policy(config::Print(policy.spec));
  proto.set_num_triggers(result.num_triggers);
  proto.set_num_decisions(result.num_decisions);
  proto.set_num_selected(result.num_selected);
  proto.set_num_leftover(result.num_leftover);
  if (result.training_seconds) proto.set_training_seconds(*result.training_seconds);
  if (result.mean_latency_seconds) proto.set_mean_latency_seconds(*result.mean_latency_seconds);
  if (result.longest_latency_seconds) {
    proto.set_longest_latency_seconds(*result.longest_latency_seconds);
  }
  if (result.value) proto.set_value(*result.value);
  if (result.interval) {
    proto.set_low(result.interval->first);
    proto.set_high(result.interval->second);
  }
  proto.set_num_measured(result.num_measured);
  proto.set_num_windows_left_out(result.num_windows_left_out);
  for (const BacktestTrigger& trigger : result.triggers) {
    auto& shown = *proto.add_triggers();
    *shown.mutable_at() = ToProto(trigger.at);
    shown.set_num_new(trigger.num_new);
    shown.set_num_selected(trigger.num_selected);
  }
  return proto;
}

// A copy of the history for shuffles, while it is shown.
void Remember(Samples samples, History& history) {
  history.times.insert(history.times.end(), samples.event_times.begin(), samples.event_times.end());
  history.keys.insert(history.keys.end(), samples.keys.begin(), samples.keys.end());
}

}  // namespace

absl::Status PolicyTrials::Begin(std::vector<NamedPolicy> policies, int num_shuffles,
                                 v1::WatchBacktestResponse::Final& final) {
  keys_ = past_.Keys();
  ASSIGN_OR_RETURN(evidence_, past_.Evidence(*keys_));
  for (NamedPolicy& policy : policies) {
    auto test = BeginTest(policy, evidence_.get(), matrix_);
    // The others are tried without it.
    if (!test.ok() && !policy.asked) {
      final.set_own_left_out(std::string(test.status().message()));
      continue;
    }
    if (!test.ok()) return Annotate(test.status(), policy.name);
    if (Needs(policy.spec, &TriggerNeeds::samples)) num_shuffles_ = num_shuffles;
    trials_.push_back({.policy = std::move(policy), .test = *std::move(test)});
  }
  final.set_num_shuffles(num_shuffles_);
  return absl::OkStatus();
}

absl::StatusOr<Backtest> PolicyTrials::BeginTest(const NamedPolicy& policy, EvidenceSource* source,
                                                 const EvaluationMatrix* matrix) const {
  ASSIGN_OR_RETURN(Backtest test,
                   Backtest::Create(policy.spec, selection_, forecast_, source, matrix));
  test.EndUnless(is_wanted_);
  return test;
}

absl::Status PolicyTrials::Take(Samples samples) {
  if (num_shuffles_ > 0) Remember(samples, history_);
  for (Trial& trial : trials_) {
    const absl::Status status = trial.test.Take(samples);
    if (!status.ok()) return Annotate(status, trial.policy.name);
  }
  return absl::OkStatus();
}

absl::Status PolicyTrials::Finish(v1::WatchBacktestResponse::Final& final) {
  for (Trial& trial : trials_) {
    v1::BacktestResult& result = *final.add_results();
    result = ResultOf(trial.policy, std::move(trial.test).Finish());
    if (!CountsFalseAlarms(trial.policy)) continue;
    ASSIGN_OR_RETURN(const double alarms, NumFalseAlarms(trial.policy));
    result.set_num_false_alarms(alarms);
  }
  return absl::OkStatus();
}

bool PolicyTrials::CountsFalseAlarms(const NamedPolicy& policy) const {
  return num_shuffles_ > 0 && Needs(policy.spec, &TriggerNeeds::samples);
}

absl::StatusOr<double> PolicyTrials::NumFalseAlarms(const NamedPolicy& policy) const {
  const auto begin = [&](EvidenceSource& source) {
    return BeginTest(policy, &source, /*matrix=*/nullptr);
  };
  const auto evidence_of = [&](ShuffledHistory& shuffled) { return past_.Evidence(shuffled); };
  return CountFalseAlarms(history_, num_shuffles_, begin, evidence_of);
}

}  // namespace tidemill::supervisor
