// Retrains when the expected regret of keeping the model has reached the price of a training.
#pragma once

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

struct DebtTrigger {
  static constexpr std::string_view kType = "debt";
  static constexpr std::string_view kDoc =
      "Sums the expected regret of not having trained, and fires once this debt is as great as the "
      "price of a training. A difference that chance can explain counts little, "
      "however many intervals it lasts; so it suits intervals of few samples. While there is no "
      "model, an evaluation fires if it finds as many samples as `first` asks for.";
  static constexpr std::string_view kRule =
      "D >= `price`, where D becomes max(0, D + r) at each interval since the last training. r = "
      "E[max(0, p - q)] - s / sqrt(pi). p is the error of the active model: the posterior of a "
      "share with k errors in n samples, Beta(k + 1/2, n - k + 1/2). q is the error of a new "
      "model: `expected_error`, or the same posterior for the first intervals of the last "
      "`trainings` new models together. s^2 is the sum of both variances, and s / sqrt(pi) the "
      "regret that chance would show without drift, so r is 0 in the mean then. Both are taken to "
      "be normal. If no sample of an interval could be looked at, the answer is no";
  static constexpr std::string_view kPoints =
      "where `evaluate` says; samples are counted from the last training on";
  static constexpr std::string_view kCost =
      "one prediction of the model for each sample; as state, two numbers for each of the last "
      "`trainings` trainings";
  static constexpr std::string_view kSource =
      "Katz, Cost-sensitive retraining via posterior learning debt (arXiv 2604.06438, 2026), for "
      "posteriors of the deployed and of an updated model, and expected regret against the price. "
      "There the debt is their divergence; here it is the regret itself, summed over intervals";
  IntervalErrors intervals;
  double price = 0;
  ExpectedError expected = {};

  void Fields(auto&& field) {
    intervals.Fields(field);
    field(
        "price", price,
        "What a training costs, in errors x intervals: 0.5 is an error of 0.5 for one interval, or "
        "of 0.05 for ten.",
        {.min = 0, .max = 1e9, .required = true, .example = "0.5"});
    expected.Fields(field);
  }
};

std::unique_ptr<TriggerPolicy> MakePolicy(const DebtTrigger& spec);
Verdict Judge(const DebtTrigger& spec, const Observed& observed);
std::string Explain(const DebtTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const DebtTrigger& spec);

template <>
class TriggerOf<DebtTrigger> final : public RuleTrigger<DebtTrigger> {
 public:
  void CheckSamples(const transform::DescribedSamples& samples,
                    config::Problems& problems) const override;
  std::vector<config::Remark> Advise(const StreamFacts& stream) const override;
};

}  // namespace tidemill::supervisor
