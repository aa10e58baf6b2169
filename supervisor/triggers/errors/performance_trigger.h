// Retrains when the active model has become bad.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"
#include "config/remark.h"
#include "supervisor/triggers/criteria/criterion_spec.h"
#include "supervisor/triggers/errors/performance_measure.h"
#include "supervisor/triggers/plain/decision_interval.h"
#include "supervisor/triggers/trigger.h"
#include "transform/engine/schema_check.h"

namespace tidemill::supervisor {

using PerformanceCriterion = std::variant<ThresholdCriterion, QuantileCriterion,
                                          RollingAverageCriterion, AvoidableErrorsCriterion>;

struct PerformanceTrigger {
  static constexpr std::string_view kType = "performance";
  static constexpr std::string_view kDoc =
      "Fires when the active model has become bad on the samples since the last evaluation, whose "
      "labels are known by then. While there is no model, an evaluation fires if it finds as many "
      "samples as `first` asks for.";
  static constexpr std::string_view kRule =
      "the score of the interval, by `measure`, is bad by `criterion`; an accuracy is bad if it is "
      "low, an error if it is high. threshold: accuracy <= at; quantile: accuracy < the "
      "tail-quantile of the last scores; rolling_average: accuracy <= mean - deviation of the last "
      "scores, or mean (1 - deviation); avoidable_errors: the sum of round(m - (1 - expected) n) "
      "over the intervals since the last training, with m of n samples mistaken, is at least "
      "at_least, or that sum plus (expected - forecast) n for the next interval. If no sample of "
      "an interval could be looked at, or the measure is undefined there, the answer is no";
  static constexpr std::string_view kPoints =
      "where `evaluate` says; samples are counted from the last training on; during `warm_up` from "
      "the beginning, and where its trigger decides";
  static constexpr std::string_view kCost =
      "one prediction of the model for each sample; measures of ranks sort an interval; as state, "
      "the last scores";
  static constexpr std::string_view kSource =
      "Boether et al., Modyn (SIGMOD 2025), for criteria over accuracies and avoidable mistakes; "
      "Hoerl and Kennard, Ridge Regression (1970), for the forecast";
  DecisionInterval evaluate;
  PerformanceMeasure measure = PerformanceMeasure();
  PerformanceCriterion criterion;
  std::optional<WarmUp> warm_up = std::nullopt;
  std::optional<int64_t> first = std::nullopt;
  std::optional<std::string> where = std::nullopt;

  void Fields(auto&& field) {
    field("evaluate", evaluate, "Where to look at the model.", {.required = true});
    field("measure", measure,
          "How to score the model: by a measure of the evaluator that is one number.");
    field("criterion", criterion, "Which scores fire.", {.required = true});
    field("warm_up", warm_up, "Lets a simple policy decide until there is a history of scores.");
    field("first", first,
          "The first training waits for this many samples. By default the first evaluation starts "
          "it, however few samples have come.",
          {.min = 1, .example = "2000"});
    field("where", where,
          "An expression over the records, @time and @label (docs/guides/columns.md). The model is "
          "judged on the samples for which it is true.",
          {.example = "\"@label = 'late'\""});
  }
  void Check(config::Problems& problems) const;
};

std::unique_ptr<TriggerPolicy> MakePolicy(const PerformanceTrigger& spec);
Verdict Judge(const PerformanceTrigger& spec, const Observed& observed);
std::string Explain(const PerformanceTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const PerformanceTrigger& spec);

template <>
class TriggerOf<PerformanceTrigger> final : public RuleTrigger<PerformanceTrigger> {
 public:
  void CheckSamples(const transform::DescribedSamples& samples,
                    config::Problems& problems) const override;
  std::vector<config::Remark> Advise(const StreamFacts& stream) const override;
};

}  // namespace tidemill::supervisor
