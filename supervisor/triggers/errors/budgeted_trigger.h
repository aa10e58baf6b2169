// Retrains as a budget of trainings allows.
//   G, what the model has lost      Q, what is overspent
//     |        /                      |  .   a training adds `price`
//     |      /                        |  |'.
//     |    /   fires where            |  |  '.   each evaluation takes `budget` off
//     |  /     weight G >= price Q    |  |    '.__
//     +----------- evaluations        +----------- evaluations
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

struct BudgetedTrigger {
  static constexpr std::string_view kType = "budgeted";
  static constexpr std::string_view kDoc =
      "Keeps what trainings cost within a budget in the long run. It trains sooner the more the "
      "active model has lost since its training, and later the more of the budget is overspent. "
      "While there is no model, an evaluation fires if it finds as many samples as `first` asks "
      "for.";
  static constexpr std::string_view kRule =
      "`error_weight` x G >= Q x `price` and `budget` > 0. G is the sum of e - level over the "
      "intervals since the last training, with the errors e of the active model and the level of "
      "its first interval. Q, the virtual queue, is what is overspent: from one evaluation to the "
      "next it becomes max(0, Q + spent - `budget`), where each training, whoever asked for it, "
      "spends `price`. After T evaluations, if no user asked for trainings, they have cost at most "
      "`budget` T + sqrt(T (2 `error_weight` + max(`budget`, `price`)^2)), whatever the errors. "
      "With nothing overspent it trains as soon as the model is no better than at first: a budget "
      "that is not spent is lost. If no sample of an interval could be looked at, the answer is no";
  static constexpr std::string_view kPoints =
      "where `evaluate` says; samples are counted from the last training on";
  static constexpr std::string_view kCost =
      "one prediction of the model for each sample; four numbers of state";
  static constexpr std::string_view kSource =
      "RCCDA: Resource-constrained concept drift adaptation (arXiv 2505.24149, 2025), for the "
      "policy; Neely, Stochastic Network Optimization (2010), for drift plus penalty and the bound";
  IntervalErrors intervals;
  double budget = 0;
  double price = 1;
  double error_weight = 1;

  void Fields(auto&& field) {
    intervals.Fields(field);
    field("budget", budget,
          "What trainings may cost for each evaluation, in units of `price`. With price: 1, 0.1 is "
          "one training in ten evaluations. With 0 there is the first training only.",
          {.min = 0, .max = 1e9, .required = true, .example = "0.1"});
    field("price", price, "What a training costs.", {.min = 1e-9, .max = 1e9});
    field("error_weight", error_weight,
          "How much an error counts against overspending; V in the literature. A greater value "
          "follows drift sooner, and may overspend for longer.",
          {.min = 0, .max = 1e9});
  }
};

std::unique_ptr<TriggerPolicy> MakePolicy(const BudgetedTrigger& spec);
Verdict Judge(const BudgetedTrigger& spec, const Observed& observed);
std::string Explain(const BudgetedTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const BudgetedTrigger& spec);

template <>
class TriggerOf<BudgetedTrigger> final : public RuleTrigger<BudgetedTrigger> {
 public:
  void CheckSamples(const transform::DescribedSamples& samples,
                    config::Problems& problems) const override;
  std::vector<config::Remark> Advise(const StreamFacts& stream) const override;
};

}  // namespace tidemill::supervisor
