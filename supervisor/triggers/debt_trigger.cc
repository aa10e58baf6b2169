#include "supervisor/triggers/debt_trigger.h"

#include <algorithm>
#include <numeric>

#include "fmt/format.h"

#include "supervisor/statistics/expected_regret.h"
#include "supervisor/triggers/interval_policy.h"
#include "supervisor/triggers/phrases.h"

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
    observed["expected_error"] = made.mean;
    observed["regret"] = regret;
    observed["debt"] = debt;
  }
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
  Verdict verdict = {.policy = std::string(DebtTrigger::kType), .observed = observed};
  const double debt = ValueOf(observed, "debt");
  verdict.comparison = {"expected regret since the last training", debt, spec.price,
                        "errors x intervals"};
  verdict.fired = verdict.comparison->margin() >= 0;
  verdict.nearest = Change{"price", spec.price, debt};
  return verdict;
}

std::string Explain(const DebtTrigger& spec, const Verdict& verdict) {
  const Observed& seen = verdict.observed;
  if (auto without = ExplainWithoutError(spec.intervals, seen)) return *without;
  return fmt::format(
      "{}, where {} is expected of a new one; the interval adds an expected regret of "
      "{}, which makes {} since the last training, and `price` is {}",
      ExplainError(spec.intervals, seen), Figure(ValueOf(seen, "expected_error")),
      Figure(ValueOf(seen, "regret")), Figure(ValueOf(seen, "debt")), Figure(spec.price));
}

TriggerNeeds NeedsOf(const DebtTrigger&) { return {.model_answers = true, .samples = true}; }

void CheckSamples(const DebtTrigger& spec, const transform::DescribedSamples& samples,
                  config::Problems& problems) {
  CheckSamples(spec.intervals, samples, problems);
}

std::vector<config::Remark> Advise(const DebtTrigger& spec, const StreamFacts& stream) {
  return Advise(spec.intervals, stream);
}

}  // namespace tidemill::supervisor
