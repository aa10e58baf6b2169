// The names of the numbers that policies observe, as records of decisions have them.
//
//   observed[number::kRows] = rows;
//   if (seen.contains(number::kScore)) ... ValueOf(seen, number::kScore) ...
//
// A policy writes and reads its numbers by these names alone, so that a misspelt name does not
// compile. A name never changes its meaning: records of earlier versions are explained by it. The
// exceptions are plug-ins, which name their numbers themselves, and numbers of one column each
// (window_rows.cc).
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "supervisor/triggers/verdict.h"

namespace tidemill::supervisor {

class NumberName {
 public:
  explicit constexpr NumberName(std::string_view name) : name_(name) {}
  // Maps of numbers by name are read and written by it.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator std::string_view() const { return name_; }

 private:
  std::string_view name_;
};

// Returns zero for a number that was not observed.
inline double ValueOf(const Observed& observed, NumberName name) {
  const auto it = observed.find(name);
  return it == observed.end() ? 0 : it->second;
}

// Returns these numbers by their names.
inline Observed ObservedOf(std::initializer_list<std::pair<NumberName, double>> numbers) {
  Observed observed;
  for (const auto& [name, value] : numbers) observed[name] = value;
  return observed;
}

namespace number {

// Many policies observe these. The samples are those since the last training, or since the last
// decision of a policy that uses no model.
inline constexpr NumberName kSamples{"samples"};
// 1 if there is a model, else 0.
inline constexpr NumberName kModel{"model"};
// The samples of the interval that could be read, and the samples that could not.
inline constexpr NumberName kRows{"rows"};
inline constexpr NumberName kMissing{"missing"};
// The sum of the errors of the model on them.
inline constexpr NumberName kErrors{"errors"};

// time: the length of the period, and the samples up to its end while there is no model.
inline constexpr NumberName kPeriodSeconds{"period_seconds"};
inline constexpr NumberName kWithoutModel{"without_model"};

// ensemble
inline constexpr NumberName kVotes{"votes"};

// plugin: 1 when the plug-in was not called, because there is no model.
inline constexpr NumberName kNoModel{"no_model"};

// A warm-up: its evaluations so far, this point's among them, and 1 if its trigger decided here.
// The numbers of that trigger are named with the prefix.
inline constexpr NumberName kWarmUp{"warm_up"};
inline constexpr NumberName kWarmUpDecided{"warm_up.decided"};
inline constexpr std::string_view kWarmUpTrigger = "warm_up.trigger.";

// cost: sample-seconds or mistake-seconds of waiting; the trainings that the forecast uses, and the
// forecast.
inline constexpr NumberName kWaited{"waited"};
inline constexpr NumberName kTrainings{"trainings"};
inline constexpr NumberName kBaseSeconds{"base_seconds"};
inline constexpr NumberName kSecondsPerSample{"seconds_per_sample"};

// Scores: the score of this evaluation, the number of earlier scores, and what a criterion computed
// from them.
inline constexpr NumberName kScore{"score"};
inline constexpr NumberName kScores{"scores"};
inline constexpr NumberName kQuantile{"quantile"};
inline constexpr NumberName kMean{"mean"};
inline constexpr NumberName kPValue{"p_value"};
// The number of the test since the last training.
inline constexpr NumberName kTest{"test"};
inline constexpr NumberName kThreshold{"threshold"};

// drift: event time since the last training; both windows, by samples and by rows that can be
// compared; the column of the score, counted from 0.
inline constexpr NumberName kSeconds{"seconds"};
inline constexpr NumberName kReferenceSamples{"reference_samples"};
inline constexpr NumberName kCurrentSamples{"current_samples"};
inline constexpr NumberName kReferenceRows{"reference_rows"};
inline constexpr NumberName kCurrentRows{"current_rows"};
inline constexpr NumberName kColumn{"column"};
inline constexpr NumberName kComparedColumns{"compared_columns"};
inline constexpr NumberName kWantedColumns{"wanted_columns"};
// The threshold of an auto criterion, and the samples and evaluations from which it was found.
inline constexpr NumberName kSamplesBefore{"samples_before"};
inline constexpr NumberName kHistoryRows{"history_rows"};
inline constexpr NumberName kEvaluationsPerMonth{"evaluations_per_month"};
inline constexpr NumberName kEvaluationsPerAlarm{"evaluations_per_alarm"};

// performance: avoidable mistakes since the last training, and after the next interval.
inline constexpr NumberName kExpectedAccuracy{"expected_accuracy"};
inline constexpr NumberName kAvoidable{"avoidable"};
inline constexpr NumberName kForecastAccuracy{"forecast_accuracy"};
inline constexpr NumberName kAvoidableAhead{"avoidable_ahead"};

// detector: signals since the last evaluation; the first sample with one, counted from the
// training.
inline constexpr NumberName kWarnings{"warnings"};
inline constexpr NumberName kDrifts{"drifts"};
inline constexpr NumberName kFirstDrift{"first_drift"};

// Errors of an interval (interval_errors.h); "capped" is there if the error would be greater
// than 1.
inline constexpr NumberName kError{"error"};
inline constexpr NumberName kCapped{"capped"};
inline constexpr NumberName kExpectedError{"expected_error"};

// cara
inline constexpr NumberName kStaleness{"staleness"};

// budgeted: the overspent amount, the error of the first interval, and the loss against it.
inline constexpr NumberName kQueue{"queue"};
inline constexpr NumberName kLevel{"level"};
inline constexpr NumberName kLoss{"loss"};

// debt
inline constexpr NumberName kRegret{"regret"};
inline constexpr NumberName kDebt{"debt"};

// forecast: the costs of the plans that can be chosen.
inline constexpr NumberName kKeep{"keep"};
inline constexpr NumberName kKeepThenTrain{"keep_then_train"};
inline constexpr NumberName kTrain{"train"};
inline constexpr NumberName kTrainAgain{"train_again"};

}  // namespace number
}  // namespace tidemill::supervisor
