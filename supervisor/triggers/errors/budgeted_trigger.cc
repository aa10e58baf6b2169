// The bound: with a training at evaluation t, Q_t price <= error_weight G_t, and the G at the
// trainings sum to at most T, because each interval adds at most 1 to one of them. So Q_T^2 <= sum
// of 2 Q_t (spent_t - budget) + (spent_t - budget)^2 <= T (2 error_weight + max(budget, price)^2),
// and what was spent is at most budget T + Q_T.
#include "supervisor/triggers/errors/budgeted_trigger.h"

#include <algorithm>

#include "fmt/format.h"

#include "supervisor/triggers/errors/interval_policy.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"
#include "supervisor/triggers/rule_trigger.h"

namespace tidemill::supervisor {
namespace {

struct BudgetedMemory {
  double queue = 0;  // What was overspent at the last evaluation.
  double spent = 0;  // Since then.
  double level = 0;  // The error of the active model on its first interval.
  double loss = 0;   // In excess of the level, summed since the last training.

  static BudgetedMemory Of(const BudgetedTrigger&) { return {}; }
  void Pass(const BudgetedTrigger& spec, Observed& observed) {
    queue = std::max(0.0, queue + spent - spec.budget);
    spent = 0;
    observed[number::kQueue] = queue;
  }
  void Look(const BudgetedTrigger&, const IntervalError& interval, Observed& observed) {
    if (interval.is_first) level = interval.error;
    loss += interval.error - level;
    observed[number::kLevel] = level;
    observed[number::kLoss] = loss;
  }
  void Trained(const BudgetedTrigger& spec) {
    spent += spec.price;
    loss = 0;
  }

  void Fields(auto&& field) {
    field("queue", queue);
    field("spent", spent);
    field("level", level);
    field("loss", loss);
  }
};

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const BudgetedTrigger& spec) {
  return std::make_unique<IntervalPolicy<BudgetedTrigger, BudgetedMemory>>(spec);
}

Verdict Judge(const BudgetedTrigger& spec, const Observed& observed) {
  if (auto without = JudgeInterval(spec.intervals, BudgetedTrigger::kType, observed)) {
    return *without;
  }
  Verdict verdict = NewVerdict(BudgetedTrigger::kType, observed);
  const double loss = ValueOf(observed, number::kLoss);
  const double owed = ValueOf(observed, number::kQueue) * spec.price;
  *verdict.mutable_comparison() =
      Compared("weighted loss since the last training", spec.error_weight * loss, owed, "");
  if (spec.budget == 0) return verdict;
  verdict.set_fired(MarginOf(verdict.comparison()) >= 0);
  if (loss > 0)
    *verdict.mutable_nearest() = ChangeOf("error_weight", spec.error_weight, owed / loss);
  return verdict;
}

std::string Explain(const BudgetedTrigger& spec, const Verdict& verdict) {
  const Observed& seen = verdict.observed();
  if (auto without = ExplainWithoutError(spec.intervals, seen)) return *without;
  const std::string lost = fmt::format(
      "{}, and has lost {} since its first interval with {}", ExplainError(spec.intervals, seen),
      Figure(ValueOf(seen, number::kLoss)), Figure(ValueOf(seen, number::kLevel)));
  if (spec.budget == 0) return lost + "; a budget of 0 pays for no training";
  const std::string owed =
      fmt::format("{}; {} of the budget is overspent", lost, Figure(ValueOf(seen, number::kQueue)));
  if (spec.error_weight == 0) return owed + ", and `error_weight` 0 waits until nothing is";
  return fmt::format("{}, which takes a loss of {} at `error_weight` {}", owed,
                     Figure(ValueOf(seen, number::kQueue) * spec.price / spec.error_weight),
                     Figure(spec.error_weight));
}

TriggerNeeds NeedsOf(const BudgetedTrigger&) { return {.model_answers = true, .samples = true}; }

void TriggerOf<BudgetedTrigger>::CheckSamples(const transform::DescribedSamples& samples,
                                              config::Problems& problems) const {
  supervisor::CheckSamples(spec_.intervals, samples, problems);
}

std::vector<config::Remark> TriggerOf<BudgetedTrigger>::Advise(const StreamFacts& stream) const {
  std::vector<config::Remark> remarks = supervisor::Advise(spec_.intervals, stream);
  if (spec_.budget == 0) {
    remarks.push_back({.path = "budget",
                       .message = "pays for no training after the first",
                       .hint = "write a greater budget, or type: never",
                       .is_error = false});
  }
  return remarks;
}

TIDEMILL_PART(Trigger, TriggerOf, BudgetedTrigger)

}  // namespace tidemill::supervisor
