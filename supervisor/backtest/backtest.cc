#include "supervisor/backtest/backtest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tidemill::supervisor {
namespace {

// Candidates at the last of the triggers, which had these numbers of new samples.
int64_t NumCandidates(const selector::CandidatePool& pool, std::span<const int64_t> num_new) {
  if (pool.over == selector::Pool::kNew) {
    const auto triggers = static_cast<size_t>(pool.tail.value_or(0)) + 1;
    num_new = num_new.last(std::min(triggers, num_new.size()));
  }
  return std::accumulate(num_new.begin(), num_new.end(), int64_t{0});
}

}  // namespace

int64_t NumSelected(const selector::SelectionSpec& selection, std::span<const int64_t> num_new) {
  const auto trigger = std::ssize(num_new);
  const selector::SelectionSpec policy = selection->PolicyAt(trigger);
  const int64_t candidates = NumCandidates(policy->TakesFrom(), num_new);
  if (policy->WhatItLooksAt() == selector::LooksAt::kModel && trigger == 1) {
    return candidates;  // There is no model yet.
  }
  return policy->Target(candidates);
}

absl::StatusOr<Backtest> Backtest::Create(const TriggerSpec& policy,
                                          const selector::SelectionSpec& selection,
                                          const std::optional<TrainingForecast>& forecast,
                                          const BacktestSources& sources) {
  if (!forecast && Needs(policy, &TriggerNeeds::training_costs)) {
    return FailedPrecondition(
        "a policy weighs the cost of trainings, but no run of the pipeline has completed a "
        "training to forecast from");
  }
  if (Needs(policy, &TriggerNeeds::usage)) {
    return FailedPrecondition(
        "the policy weighs what trainings use, but a backtest forecasts only how long they take: "
        "write `price: seconds` to try it");
  }
  const std::string place = WhatAsksModels(policy, "policy");
  if (!place.empty() && sources.models == nullptr) {
    return FailedPrecondition(
        "{} needs the outputs of models, but a backtest trains no models. A policy that needs "
        "mistakes, or the drift of embeddings or predictions, can be tried on history only with "
        "the models of a run: add --models, and name the run with --run. Or use labels or columns: "
        "`of: labels`, `of: columns`",
        place);
  }
  EvidenceSource* const source = sources.models != nullptr ? sources.models : sources.samples;
  if (source == nullptr && Needs(policy, &TriggerNeeds::samples)) {
    return FailedPrecondition("the policy needs samples, but no samples are available here");
  }
  ASSIGN_OR_RETURN(Decider decider, Decider::Create(policy, "", source));
  Backtest backtest(std::move(decider), selection, forecast);
  backtest.models_ = sources.models;
  if (sources.matrix != nullptr) backtest.mean_.emplace(*sources.matrix);
  return backtest;
}

absl::Status Backtest::Take(Samples samples, std::span<const size_t> unlabelled) {
  Samples ahead = samples;
  while (true) {
    if (is_wanted_ != nullptr && !is_wanted_()) {
      return Cancelled("no caller waits for the backtest any more");
    }
    if (extends_ && !ahead.empty()) {
      Extend({{ahead.event_times.front()}, {ahead.keys.front()}});
    }
    const Samples before = ahead;
    ASSIGN_OR_RETURN(const auto decision, decider_.Next(ahead));
    Wait(before.First(before.size() - ahead.size()));
    const auto passed =
        std::ranges::lower_bound(unlabelled, samples.size() - ahead.size()) - unlabelled.begin();
    num_unlabelled_ += passed;
    unlabelled = unlabelled.subspan(static_cast<size_t>(passed));
    if (!decision) return absl::OkStatus();
    ++result_.num_decisions;
    if (const v1::PolicyFault* const fault = FaultOf(decision->verdict)) {
      if (++result_.num_faults == 1) result_.first_fault = fault->what();
    }
    if (decision->fired) Train(*decision);
  }
}

void Backtest::Extend(const Cut& next) {
  if (mean_) mean_->Extend(next);
  if (models_ != nullptr) models_->Extend(next);
  extends_ = false;
}

void Backtest::Wait(Samples samples) {
  if (samples.empty()) return;
  last_sample_ = {{samples.event_times.back()}, {samples.keys.back()}};
  if (!first_waiting_) first_waiting_ = samples.event_times.front();
  waiting_.Take(samples.event_times);
}

void Backtest::Train(const Decision& decision) {
  num_labelled_.push_back(decision.num_new - std::exchange(num_unlabelled_, 0));
  num_waited_ += decision.num_new;
  const int64_t selected = NumSelected(selection_, num_labelled_);
  const Timestamp now = decision.at.event_time;
  if (mean_) mean_->Fired(decision.at);
  if (models_ != nullptr) models_->Fired(decision.at, last_sample_);
  extends_ = true;
  ++result_.num_triggers;
  result_.num_selected += selected;
  if (result_.triggers.size() < kMaxBacktestTriggers) {
    result_.triggers.push_back(
        {.at = decision.at, .num_new = decision.num_new, .num_selected = selected});
  }
  if (forecast_) {
    const double seconds = forecast_->Seconds(static_cast<double>(selected));
    result_.training_seconds = result_.training_seconds.value_or(0) + seconds;
    decider_.Learn({.num_samples = decision.num_new, .seconds = seconds});
  }
  waited_ += waiting_.At(now);
  if (first_waiting_) {
    longest_ = std::max(longest_, static_cast<double>(now.micros - *first_waiting_) / 1e6);
  }
  waiting_.Clear();
  first_waiting_.reset();
}

BacktestResult Backtest::Finish() && {
  result_.num_leftover = decider_.num_new();
  if (forecast_ && !result_.training_seconds) result_.training_seconds = 0;
  if (result_.num_triggers > 0) {
    result_.mean_latency_seconds = waited_ / static_cast<double>(num_waited_);
    result_.longest_latency_seconds = longest_;
  }
  if (mean_) {
    mean_->Finish();
    result_.value = mean_->Value();
    result_.interval = mean_->Interval();
    result_.num_measured = mean_->num_samples();
    result_.num_windows_left_out = mean_->num_left_out();
    result_.uses = mean_->uses();
  }
  if (models_ != nullptr) {
    models_->Finish();
    result_.num_between_models = models_->num_between();
    result_.differences = models_->Differences();
  }
  return std::move(result_);
}

}  // namespace tidemill::supervisor
