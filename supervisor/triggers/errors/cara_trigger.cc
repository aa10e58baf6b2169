#include "supervisor/triggers/errors/cara_trigger.h"

#include <algorithm>

#include "fmt/format.h"

#include "supervisor/triggers/errors/interval_policy.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"
#include "supervisor/triggers/rule_trigger.h"

namespace tidemill::supervisor {
namespace {

struct CaraMemory {
  double staleness = 0;                      // Summed since the last training.
  statistics::ScoreHistory new_models = {};  // The error of each on its first interval.

  static CaraMemory Of(const CaraTrigger& spec) {
    return {.new_models = {.most = spec.expected.trainings}};
  }
  void Look(const CaraTrigger& spec, const IntervalError& interval, Observed& observed) {
    if (interval.is_first) new_models.Add(interval.error);
    const double expected = spec.expected.Of(new_models);
    staleness = std::max(0.0, staleness + interval.error - expected);
    observed[number::kExpectedError] = expected;
    observed[number::kStaleness] = staleness;
  }
  void Pass(const CaraTrigger&, Observed&) {}
  void Trained(const CaraTrigger&) { staleness = 0; }

  void Fields(auto&& field) {
    field("staleness", staleness);
    field("new_models", new_models);
  }
};

double StalenessOf(const CaraTrigger& spec, const Observed& observed) {
  if (spec.variant == CaraVariant::kCumulative) return ValueOf(observed, number::kStaleness);
  return ValueOf(observed, number::kError) - ValueOf(observed, number::kExpectedError);
}

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const CaraTrigger& spec) {
  return std::make_unique<IntervalPolicy<CaraTrigger, CaraMemory>>(spec);
}

Verdict Judge(const CaraTrigger& spec, const Observed& observed) {
  if (auto without = JudgeInterval(spec.intervals, CaraTrigger::kType, observed)) return *without;
  Verdict verdict = NewVerdict(CaraTrigger::kType, observed);
  const double staleness = StalenessOf(spec, observed);
  *verdict.mutable_comparison() =
      Compared("staleness", staleness, spec.Threshold(), "errors x intervals");
  verdict.set_fired(MarginOf(verdict.comparison()) >= 0);
  if (staleness >= 0) {
    *verdict.mutable_nearest() = ChangeOf(spec.tau ? "tau" : "price", spec.Threshold(), staleness);
  }
  return verdict;
}

std::string Explain(const CaraTrigger& spec, const Verdict& verdict) {
  const Observed& seen = verdict.observed();
  if (auto without = ExplainWithoutError(spec.intervals, seen)) return *without;
  return fmt::format(
      "{}, where {} is expected of a new one; staleness {} was {}, and `{}` is {}",
      ExplainError(spec.intervals, seen), Figure(ValueOf(seen, number::kExpectedError)),
      spec.variant == CaraVariant::kCumulative ? "since the last training" : "in the interval",
      Figure(StalenessOf(spec, seen)), spec.tau ? "tau" : "price", Figure(spec.Threshold()));
}

TriggerNeeds NeedsOf(const CaraTrigger&) { return {.model_answers = true, .samples = true}; }

void TriggerOf<CaraTrigger>::CheckSamples(const transform::DescribedSamples& samples,
                                          config::Problems& problems) const {
  supervisor::CheckSamples(spec_.intervals, samples, problems);
}

std::vector<config::Remark> TriggerOf<CaraTrigger>::Advise(const StreamFacts& stream) const {
  std::vector<config::Remark> remarks = supervisor::Advise(spec_.intervals, stream);
  const double greatest = 1 - spec_.expected.expected_error.value_or(0);
  if (spec_.variant == CaraVariant::kThreshold && spec_.Threshold() > greatest) {
    remarks.push_back({.path = spec_.tau ? "tau" : "price",
                       .message = fmt::format("asks for a staleness of {}, and that of an interval "
                                              "is {} at most, so nothing fires",
                                              Figure(spec_.Threshold()), Figure(greatest)),
                       .hint = "write a smaller tau, or variant: cumulative"});
  }
  return remarks;
}

TIDEMILL_PART(Trigger, TriggerOf, CaraTrigger)

}  // namespace tidemill::supervisor
