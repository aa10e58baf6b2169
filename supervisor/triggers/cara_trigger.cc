#include "supervisor/triggers/cara_trigger.h"

#include <algorithm>

#include "fmt/format.h"

#include "supervisor/triggers/interval_policy.h"
#include "supervisor/triggers/phrases.h"

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
    observed["expected_error"] = expected;
    observed["staleness"] = staleness;
  }
  void Trained(const CaraTrigger&) { staleness = 0; }

  void Fields(auto&& field) {
    field("staleness", staleness);
    field("new_models", new_models);
  }
};

double StalenessOf(const CaraTrigger& spec, const Observed& observed) {
  if (spec.variant == CaraVariant::kCumulative) return ValueOf(observed, "staleness");
  return ValueOf(observed, "error") - ValueOf(observed, "expected_error");
}

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const CaraTrigger& spec) {
  return std::make_unique<IntervalPolicy<CaraTrigger, CaraMemory>>(spec);
}

Verdict Judge(const CaraTrigger& spec, const Observed& observed) {
  if (auto without = JudgeInterval(spec.intervals, CaraTrigger::kType, observed)) return *without;
  Verdict verdict = {.policy = std::string(CaraTrigger::kType), .observed = observed};
  const double staleness = StalenessOf(spec, observed);
  verdict.comparison = {"staleness", staleness, spec.Threshold(), "errors x intervals"};
  verdict.fired = verdict.comparison->margin() >= 0;
  if (staleness >= 0) {
    verdict.nearest = Change{spec.tau ? "tau" : "price", spec.Threshold(), staleness};
  }
  return verdict;
}

std::string Explain(const CaraTrigger& spec, const Verdict& verdict) {
  const Observed& seen = verdict.observed;
  if (auto without = ExplainWithoutError(spec.intervals, seen)) return *without;
  return fmt::format(
      "{}, where {} is expected of a new one; staleness {} was {}, and `{}` is {}",
      ExplainError(spec.intervals, seen), Figure(ValueOf(seen, "expected_error")),
      spec.variant == CaraVariant::kCumulative ? "since the last training" : "in the interval",
      Figure(StalenessOf(spec, seen)), spec.tau ? "tau" : "price", Figure(spec.Threshold()));
}

TriggerNeeds NeedsOf(const CaraTrigger&) { return {.model_answers = true, .samples = true}; }

void CheckSamples(const CaraTrigger& spec, const transform::DescribedSamples& samples,
                  config::Problems& problems) {
  CheckSamples(spec.intervals, samples, problems);
}

std::vector<config::Remark> Advise(const CaraTrigger& spec, const StreamFacts& stream) {
  std::vector<config::Remark> remarks = Advise(spec.intervals, stream);
  const double greatest = 1 - spec.expected.expected_error.value_or(0);
  if (spec.variant == CaraVariant::kThreshold && spec.Threshold() > greatest) {
    remarks.push_back({.path = spec.tau ? "tau" : "price",
                       .message = fmt::format("asks for a staleness of {}, and that of an interval "
                                              "is {} at most, so nothing fires",
                                              Figure(spec.Threshold()), Figure(greatest)),
                       .hint = "write a smaller tau, or variant: cumulative"});
  }
  return remarks;
}

}  // namespace tidemill::supervisor
