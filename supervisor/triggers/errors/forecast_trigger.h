// Retrains when keeping the model is forecast to cost more than training now.
//   now                          horizon
//    |--- the active model ---------|          keep
//    |--- the active model ---|T|---|          keep_then_train + price, T where it costs least
//   |T|--- a new model -------------|          price + train
//   |T|--- a new model ---|T|-------|          price + train_again + price
//
// Each line costs the sum of the errors forecast for its intervals. A training now must beat
// waiting for a better moment, not only waiting forever.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/remark.h"
#include "supervisor/triggers/errors/interval_errors.h"
#include "supervisor/triggers/trigger.h"
#include "transform/engine/schema_check.h"

namespace tidemill::supervisor {

struct ForecastTrigger {
  static constexpr std::string_view kType = "forecast";
  static constexpr std::string_view kDoc =
      "Forecasts the errors of the active model and of a new one over the next intervals, with "
      "their uncertainty, and fires when keeping the model would cost as much as training now, or "
      "more. While there is no model, an evaluation fires if it finds as many samples as `first` "
      "asks for.";
  static constexpr std::string_view kRule =
      "min(keep, `price` + keep_then_train) >= `price` + min(train, `price` + train_again). Each "
      "is a sum of errors over the next `horizon` intervals: of the active model; of it and then "
      "of a new one, where that costs least; of a model that is trained now; of it and then of "
      "another. An error is its (1 - `delta`)-quantile. The errors of a model are taken to be high "
      "or low together, so the quantile of their sum is the sum of theirs. logit(error) is "
      "forecast by Bayesian linear regression on the interval after which the model was trained, "
      "its age, and its logit before, over the last `memory` errors: step by step, each with the "
      "variance of the one before. Before its first interval, the logit of a new model is the "
      "logit of `expected_error`, or of the mean error of the last `trainings` new models on "
      "theirs. If no sample of an interval could be looked at, the answer is no";
  static constexpr std::string_view kPoints =
      "where `evaluate` says; samples are counted from the last training on";
  static constexpr std::string_view kCost =
      "one prediction of the model for each sample; one regression with four weights for each "
      "evaluation, O(`memory` + `horizon`); as state, four numbers for each of the last `memory` "
      "errors, and one for each of the last `trainings` trainings";
  static constexpr std::string_view kSource =
      "Regol et al., When to retrain a machine learning model (ICML 2025), for forecasts of errors "
      "with their uncertainty and a decision by quantiles; Gelman et al., Bayesian Data Analysis, "
      "for the regression. Drift of the data is not a feature here";
  IntervalErrors intervals;
  double price = 0;
  int64_t horizon = 10;
  double delta = 0.3;
  int64_t memory = 200;
  ExpectedError expected = {};

  void Fields(auto&& field) {
    intervals.Fields(field);
    field(
        "price", price,
        "What a training costs, in errors x intervals: 0.5 is an error of 0.5 for one interval, or "
        "of 0.05 for ten.",
        {.min = 0, .max = 1e9, .required = true, .example = "0.5"});
    field("horizon", horizon,
          "How many intervals to look ahead; best about the number between two trainings.",
          {.min = 1, .max = 1000});
    field("delta", delta,
          "The accepted chance that errors are greater than forecast. 0.5 forecasts the medians. "
          "With a smaller value the more uncertain choice counts as the more expensive one.",
          {.min = 1e-6, .max = 0.5});
    field("memory", memory, "How many of the last errors the forecast uses.",
          {.min = 1, .max = 10'000});
    expected.Fields(field);
  }
};

std::unique_ptr<TriggerPolicy> MakePolicy(const ForecastTrigger& spec);
Verdict Judge(const ForecastTrigger& spec, const Observed& observed);
std::string Explain(const ForecastTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const ForecastTrigger& spec);

template <>
class TriggerOf<ForecastTrigger> final : public RuleTrigger<ForecastTrigger> {
 public:
  void CheckSamples(const transform::DescribedSamples& samples,
                    config::Problems& problems) const override;
  std::vector<config::Remark> Advise(const StreamFacts& stream) const override;
};

}  // namespace tidemill::supervisor
