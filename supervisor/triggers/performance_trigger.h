// Retrains when the active model has become bad.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "config/config.h"
#include "supervisor/triggers/criterion_spec.h"
#include "supervisor/triggers/decision_interval.h"
#include "supervisor/triggers/trigger_policy.h"
#include "transform/engine/schema_check.h"

namespace tidemill::supervisor {

enum class PerformanceMeasure { kAccuracy, kMeanAbsoluteError };

using PerformanceCriterion = std::variant<ThresholdCriterion, QuantileCriterion,
                                          RollingAverageCriterion, AvoidableErrorsCriterion>;

struct PerformanceTrigger {
  static constexpr std::string_view kType = "performance";
  static constexpr std::string_view kDoc =
      "Fires when the active model has become bad at the samples since the last evaluation, whose "
      "labels are known by then. While there is no model, an evaluation fires that finds the "
      "samples that `first` asks for.";
  static constexpr std::string_view kRule =
      "the score of the interval, by `measure`, is bad by `criterion`, low for an accuracy and "
      "high for an error: threshold, accuracy <= at; quantile, accuracy < the tail-quantile of the "
      "last scores; rolling_average, accuracy <= mean - deviation of the last scores, or mean (1 - "
      "deviation); avoidable_errors, the sum over the intervals since the last training of round(m "
      "- (1 - expected) n), m of n samples being mistaken, is at least at_least, or that sum and "
      "(expected - forecast) n for the interval to come. An interval of which no sample could be "
      "looked at answers no";
  static constexpr std::string_view kPoints =
      "where `evaluate` says, samples being counted from the last training on; during `warm_up` "
      "from the beginning, and where its trigger decides";
  static constexpr std::string_view kCost =
      "what the model takes to answer each sample once; of state the last scores";
  static constexpr std::string_view kSource =
      "Boether et al., Modyn (SIGMOD 2025), for criteria over accuracies and avoidable mistakes; "
      "Hoerl and Kennard, Ridge Regression (1970), for the forecast";
  DecisionInterval evaluate;
  PerformanceMeasure measure = PerformanceMeasure::kAccuracy;
  PerformanceCriterion criterion;
  std::optional<WarmUp> warm_up = std::nullopt;
  std::optional<int64_t> first = std::nullopt;

  void Fields(auto&& field) {
    field("evaluate", evaluate, "Where the model is looked at.", {.required = true});
    field("measure", measure, "accuracy, of classes; mean_absolute_error, of real labels.");
    field("criterion", criterion, "When a score is reason enough.", {.required = true});
    field("warm_up", warm_up, "Lets a simple policy decide until there is a history of scores.");
    field("first", first,
          "The first training waits for so many samples. By default the first evaluation brings it "
          "about, however few have come.",
          {.min = 1, .example = "2000"});
  }
  void Check(config::Problems& problems) const;
};

std::unique_ptr<TriggerPolicy> MakePolicy(const PerformanceTrigger& spec);
Verdict Judge(const PerformanceTrigger& spec, const Observed& observed);
std::string Explain(const PerformanceTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const PerformanceTrigger& spec);
void CheckSamples(const PerformanceTrigger& spec, const transform::DescribedSamples& samples,
                  config::Problems& problems);

}  // namespace tidemill::supervisor

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::PerformanceMeasure> {
  using Measure = tidemill::supervisor::PerformanceMeasure;
  static constexpr std::pair<Measure, std::string_view> kNames[] = {
      {Measure::kAccuracy, "accuracy"}, {Measure::kMeanAbsoluteError, "mean_absolute_error"}};
};
