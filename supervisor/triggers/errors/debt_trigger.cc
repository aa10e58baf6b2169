#include "supervisor/triggers/errors/debt_trigger.h"

#include <algorithm>
#include <numeric>

#include "fmt/format.h"

#include "supervisor/statistics/forecasts/expected_regret.h"
#include "supervisor/triggers/errors/interval_policy.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"
#include "supervisor/triggers/rule_trigger.h"

namespace tidemill::supervisor {
namespace {

using statistics::NormalBelief;
using statistics::ScoreHistory;

double SumOf(const ScoreHistory& history) {
  return std::accumulate(history.scores.begin(), history.scores.end(), 0.0);
}

struct DebtMemory {
  double debt = 0;
  // The first interval of each new model: how many of how many samples it got wrong.
  ScoreHistory errors = {};
  ScoreHistory rows = {};

  static DebtMemory Of(const DebtTrigger& spec) {
    return {.errors = {.most = spec.expected.trainings}, .rows = {.most = spec.expected.trainings}};
  }
  void Look(const DebtTrigger& spec, const IntervalError& interval, Observed& observed) {
    const double wrong = interval.error * interval.rows;
    if (interval.is_first) {
      errors.Add(wrong);
      rows.Add(interval.rows);
    }
    const NormalBelief kept = statistics::ErrorBelief(wrong, interval.rows);
    const NormalBelief made = spec.expected.expected_error
                                  ? NormalBelief{.mean = *spec.expected.expected_error}
                                  : statistics::ErrorBelief(SumOf(errors), SumOf(rows));
    const double regret = statistics::ExcessRegret(kept, made);
    debt = std::max(0.0, debt + regret);
    observed[number::kExpectedError] = made.mean;
    observed[number::kRegret] = regret;
    observed[number::kDebt] = debt;
  }
  void Pass(const DebtTrigger&, Observed&) {}
  void Trained(const DebtTrigger&) { debt = 0; }

  void Fields(auto&& field) {
    field("debt", debt);
    field("errors", errors);
    field("rows", rows);
  }
};

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const DebtTrigger& spec) {
  return std::make_unique<IntervalPolicy<DebtTrigger, DebtMemory>>(spec);
}

Verdict Judge(const DebtTrigger& spec, const Observed& observed) {
  if (auto without = JudgeInterval(spec.intervals, DebtTrigger::kType, observed)) return *without;
  Verdict verdict = NewVerdict(DebtTrigger::kType, observed);
  const double debt = ValueOf(observed, number::kDebt);
  *verdict.mutable_comparison() =
      Compared("expected regret since the last training", debt, spec.price, "errors x intervals");
  verdict.set_fired(MarginOf(verdict.comparison()) >= 0);
  *verdict.mutable_nearest() = ChangeOf("price", spec.price, debt);
  return verdict;
}

std::string Explain(const DebtTrigger& spec, const Verdict& verdict) {
  const Observed& seen = verdict.observed();
  if (auto without = ExplainWithoutError(spec.intervals, seen)) return *without;
  return fmt::format(
      "{}, where {} is expected of a new one; the interval adds an expected regret of "
      "{}, which makes {} since the last training, and `price` is {}",
      ExplainError(spec.intervals, seen), Figure(ValueOf(seen, number::kExpectedError)),
      Figure(ValueOf(seen, number::kRegret)), Figure(ValueOf(seen, number::kDebt)),
      Figure(spec.price));
}

TriggerNeeds NeedsOf(const DebtTrigger&) { return {.model_answers = true, .samples = true}; }

void TriggerOf<DebtTrigger>::CheckSamples(const transform::DescribedSamples& samples,
                                          config::Problems& problems) const {
  supervisor::CheckSamples(spec_.intervals, samples, problems);
}

std::vector<config::Remark> TriggerOf<DebtTrigger>::Advise(const StreamFacts& stream) const {
  return supervisor::Advise(spec_.intervals, stream);
}

TIDEMILL_PART(Trigger, TriggerOf, DebtTrigger)

}  // namespace tidemill::supervisor
