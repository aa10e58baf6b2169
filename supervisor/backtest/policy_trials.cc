#include "supervisor/backtest/policy_trials.h"

#include <limits>
#include <string>
#include <utility>

#include "config/config.h"
#include "results/rows.h"
#include "supervisor/backtest/false_alarm_count.h"
#include "supervisor/runs/cuts.h"

namespace tidemill::supervisor {
namespace {

void AddUses(const std::vector<MatrixMean::Use>& uses, v1::BacktestResult& result) {
  for (const MatrixMean::Use& use : uses) {
    const results::Row* const cell = use.cell;
    result.add_window_values(cell ? cell->value() : std::numeric_limits<double>::quiet_NaN());
    result.add_window_samples(cell ? cell->num_samples() : 0);
    result.add_window_models(cell ? cell->trigger() : 0);
    result.add_window_triggers(use.trigger);
  }
}

v1::BacktestResult ResultOf(const NamedPolicy& policy, const BacktestResult& result) {
  v1::BacktestResult proto;
  proto.set_name(policy.name);
  proto.set_own(policy.own);
  proto.set_policy(config::Print(policy.spec));
  proto.set_num_triggers(result.num_triggers);
  proto.set_num_decisions(result.num_decisions);
  proto.set_num_faults(result.num_faults);
  proto.set_first_fault(result.first_fault);
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
  AddUses(result.uses, proto);
  if (result.num_between_models) {
    proto.set_num_triggers_between_models(*result.num_between_models);
  }
  proto.mutable_differences()->Add(result.differences.begin(), result.differences.end());
  return proto;
}

// A copy of the history for shuffles, while it is shown.
void Remember(Samples samples, History& history) {
  history.times.insert(history.times.end(), samples.event_times.begin(), samples.event_times.end());
  history.keys.insert(history.keys.end(), samples.keys.begin(), samples.keys.end());
}

// A shuffled history has no models, and the run's models were trained on the true order.
bool HasFalseAlarms(const NamedPolicy& policy) {
  return Needs(policy.spec, &TriggerNeeds::samples) &&
         WhatAsksModels(policy.spec, "policy").empty();
}

}  // namespace

absl::Status PolicyTrials::Begin(const std::vector<NamedPolicy>& policies, int num_shuffles,
                                 v1::WatchBacktestResponse::Final& final) {
  RETURN_IF_ERROR(OpenEvidence());
  for (const NamedPolicy& policy : policies) {
    auto trial = BeginTrial(policy);
    // The others are tried without it.
    if (!trial.ok() && !policy.asked) {
      final.set_own_left_out(std::string(trial.status().message()));
      continue;
    }
    if (!trial.ok()) return Annotate(trial.status(), policy.name);
    if (HasFalseAlarms(policy)) num_shuffles_ = num_shuffles;
    trials_.push_back(*std::move(trial));
  }
  final.set_num_shuffles(num_shuffles_);
  DescribeRun(final);
  return absl::OkStatus();
}

absl::Status PolicyTrials::OpenEvidence() {
  keys_ = past_.Keys();
  ASSIGN_OR_RETURN(evidence_, past_.Evidence(*keys_));
  answers_ = std::make_unique<ModelAnswers>(
      [this](const ActiveModel& model) { return past_.Evidence(*keys_, model); });
  return absl::OkStatus();
}

absl::StatusOr<PolicyTrials::Trial> PolicyTrials::BeginTrial(NamedPolicy policy) {
  std::unique_ptr<AskedModels> models;
  if (run_.models != nullptr) {
    models = std::make_unique<AskedModels>(*run_.models, *answers_, *evidence_);
  }
  ASSIGN_OR_RETURN(Backtest test, BeginTest(policy, {.samples = evidence_.get(),
                                                     .models = models.get(),
                                                     .matrix = run_.matrix}));
  return Trial{.policy = std::move(policy), .models = std::move(models), .test = std::move(test)};
}

absl::StatusOr<Backtest> PolicyTrials::BeginTest(const NamedPolicy& policy,
                                                 const BacktestSources& sources) const {
  ASSIGN_OR_RETURN(Backtest test, Backtest::Create(policy.spec, selection_, forecast_, sources));
  test.EndUnless(is_wanted_);
  return test;
}

void PolicyTrials::DescribeRun(v1::WatchBacktestResponse::Final& final) const {
  if (run_.matrix == nullptr) return;
  for (const EvaluationMatrix::Window& window : run_.matrix->windows()) {
    auto& shown = *final.add_windows();
    *shown.mutable_from() = ToProto(window.from);
    *shown.mutable_to() = ToProto(window.to);
  }
  for (size_t i = 0; i < run_.matrix->triggers().size(); ++i) {
    auto& shown = *final.add_models();
    shown.set_trigger(run_.matrix->numbers()[i]);
    *shown.mutable_at() = ToProto(run_.matrix->triggers()[i]);
  }
}

absl::Status PolicyTrials::Take(Samples samples, std::span<const size_t> unlabelled) {
  if (num_shuffles_ > 0) Remember(samples, history_);
  for (Trial& trial : trials_) {
    const absl::Status status = trial.test.Take(samples, unlabelled);
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
  return num_shuffles_ > 0 && HasFalseAlarms(policy);
}

absl::StatusOr<double> PolicyTrials::NumFalseAlarms(const NamedPolicy& policy) const {
  const auto begin = [&](EvidenceSource& source) {
    return BeginTest(policy, {.samples = &source});
  };
  const auto evidence_of =
      [&](ShuffledHistory& shuffled) -> absl::StatusOr<std::unique_ptr<EvidenceSource>> {
    return past_.Evidence(shuffled);
  };
  return CountFalseAlarms(history_, num_shuffles_, begin, evidence_of);
}

}  // namespace tidemill::supervisor
