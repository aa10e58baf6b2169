// After policies.md's sources: the delay of data as a cost is Boether et al., Modyn (SIGMOD'25);
// to pay once what has been lost equals what it costs is the rule for acknowledgements of Dooly,
// Goldman and Scott (1998). With arrivals of rate l a second and trainings of a + b n seconds the
// interval becomes rho b + sqrt(rho^2 b^2 + 2 rho a / l) for an accepted delay of rho.
#include "supervisor/triggers/plain/cost_trigger.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "supervisor/statistics/sealed_state.h"
#include "supervisor/triggers/decision_grid.h"
#include "supervisor/triggers/first_training.h"
#include "supervisor/triggers/label_check.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"
#include "supervisor/triggers/plain/lasting_errors.h"
#include "supervisor/triggers/rule_trigger.h"
#include "supervisor/triggers/training_cost.h"
#include "supervisor/triggers/waiting.h"

namespace tidemill::supervisor {
namespace {

double PriceOf(TrainingPrice price, const TrainingCost& cost) {
  switch (price) {
    case TrainingPrice::kProcessorSeconds:
      return cost.processor_seconds;
    case TrainingPrice::kMoney:
      return cost.money.value_or(0);
    case TrainingPrice::kSeconds:
      break;
  }
  return cost.seconds;
}

const char* UnitOf(TrainingPrice price) {
  switch (price) {
    case TrainingPrice::kProcessorSeconds:
      return "processor seconds";
    case TrainingPrice::kMoney:
      return "money";
    case TrainingPrice::kSeconds:
      break;
  }
  return "seconds";
}

// "3 s", "3 (processor seconds)", "0.0031 (money)"
std::string PriceText(TrainingPrice price, double amount) {
  if (price == TrainingPrice::kSeconds) return Span(amount);
  return fmt::format("{} ({})", Figure(amount), UnitOf(price));
}

// Decides at the points of a grid. While nothing comes, what waits continues waiting: the end of a
// period without samples is a point, too, if it is the first at which the policy would fire.
class CostPolicy final : public TriggerPolicy {
 public:
  explicit CostPolicy(const CostTrigger& spec) : spec_(spec), costs_(spec.trainings) {
    if (spec.evaluate.every) periods_.emplace(EqualPeriods(*spec.evaluate.every));
    if (spec.evaluate.samples) counts_.emplace(*spec.evaluate.samples);
  }

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const override {
    if (counts_) return counts_->NextPoint(ahead);
    // A sample says as much as a clock at its time.
    const Timestamp now = ahead.empty() ? clock : Timestamp{ahead.event_times.front()};
    if (const auto end = FirstFiringEnd(now)) return DecisionPoint{.at = {*end, {0}}};
    return periods_->NextPoint(ahead, clock);
  }
  void Take(Samples samples) override {
    if (counts_) counts_->Take(samples);
    if (periods_) periods_->Take(samples);
    waiting_.Take(samples.event_times);
  }
  // Before the first training there is no model whose errors could be looked at.
  std::vector<EvidenceRequest> Needs(const Cut& at) const override {
    if (!CountsMistakes() || costs_.num_trainings() == 0) return {};
    return {{.kind = EvidenceKind::kErrors, .from = from_, .to = at}};
  }
  absl::StatusOr<Verdict> Decide(const Evidence& evidence) override {
    if (counts_) counts_->Restart();
    if (periods_) periods_->PassTo(evidence.at.event_time);
    for (const EvidenceTable& table : evidence.tables) {
      const double wrong = std::accumulate(table.values.begin(), table.values.end(), 0.0);
      errors_.Add(evidence.at.event_time, static_cast<double>(table.num_rows), wrong,
                  spec_.expected_accuracy.value_or(1));
    }
    from_ = evidence.at;
    return Judge(spec_, At(evidence.at.event_time));
  }
  void Fired(const Cut& at) override {
    waiting_.Clear();
    errors_.Clear(at.event_time);
    from_ = at;
    if (counts_) counts_->Restart();
    if (periods_) periods_->StartAt(at.event_time);
  }
  void Learn(const TrainingCost& cost) override {
    costs_.Add({.num_samples = cost.num_samples, .seconds = PriceOf(spec_.price, cost)});
  }
  std::string Standing() const override {
    return counts_ ? counts_->Standing() : periods_->Standing();
  }

  nlohmann::json Seal() const override { return statistics::SealState(*this); }
  absl::Status Restore(const nlohmann::json& state) override {
    return statistics::RestoreInto(state, *this);
  }
  void Fields(auto&& field) {
    if (counts_) field("grid", *counts_);
    if (periods_) field("grid", *periods_);
    field("waiting", waiting_);
    field("errors", errors_);
    field("from", from_);
    field("trainings", costs_);
  }

 private:
  bool CountsMistakes() const { return spec_.of == CostOf::kMisclassifications; }
  // What the rule reads at a time.
  Observed At(Timestamp time) const {
    const TrainingForecast forecast = costs_.Fit();
    return ObservedOf({{number::kSamples, static_cast<double>(waiting_.num_samples())},
                       {number::kWaited, CountsMistakes() ? errors_.At(time) : waiting_.At(time)},
                       {number::kTrainings, static_cast<double>(costs_.num_trainings())},
                       {number::kBaseSeconds, forecast.base},
                       {number::kSecondsPerSample, forecast.per_sample}});
  }
  bool FiresAt(Timestamp time) const { return Judge(spec_, At(time)).fired(); }

  // The end of the first of the empty periods up to `limit` that would fire, the current period
  // among them; std::nullopt when that has samples.
  std::optional<Timestamp> FirstFiringEnd(Timestamp limit) const {
    const auto& period = periods_->period();
    if (!period || periods_->seen() > 0 || waiting_.num_samples() == 0) return std::nullopt;
    const int64_t every = spec_.evaluate.every->micros;
    const auto end = [&](int64_t k) { return Timestamp{period->to.micros + k * every}; };
    // The waiting cost only grows, so bisection finds the first sample.
    int64_t none = -1;
    if (limit < period->to) return std::nullopt;
    int64_t some = (limit.micros - period->to.micros) / every;
    if (!FiresAt(end(some))) return std::nullopt;
    while (some - none > 1) {
      const int64_t middle = none + (some - none) / 2;
      (FiresAt(end(middle)) ? some : none) = middle;
    }
    return end(some);
  }

  const CostTrigger spec_;
  std::optional<SampleGrid> counts_;  // One of the two.
  std::optional<PeriodGrid> periods_;
  Waiting waiting_;
  LastingErrors errors_;
  std::optional<Cut> from_;  // Up to here the errors have been looked at.
  TrainingCostModel costs_;
};

double ForecastOf(const CostTrigger& spec, const Observed& observed) {
  const TrainingForecast forecast{.base = ValueOf(observed, number::kBaseSeconds),
                                  .per_sample = ValueOf(observed, number::kSecondsPerSample)};
  return std::max(forecast.Seconds(ValueOf(observed, number::kSamples)),
                  static_cast<double>(spec.least_cost.micros) / 1e6);
}

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const CostTrigger& spec) {
  return std::make_unique<CostPolicy>(spec);
}

Verdict Judge(const CostTrigger& spec, const Observed& observed) {
  Verdict verdict = NewVerdict(CostTrigger::kType, observed);
  if (ValueOf(observed, number::kTrainings) == 0) {
    JudgeFirstTraining(spec.first, verdict);
    return verdict;
  }
  const double waited = ValueOf(observed, number::kWaited);
  const double cost = ForecastOf(spec, observed);
  *verdict.mutable_comparison() =
      Compared("cost of waiting", waited / spec.accepted_delay, cost, UnitOf(spec.price));
  verdict.set_fired(MarginOf(verdict.comparison()) >= 0);
  *verdict.mutable_nearest() = ChangeOf("accepted_delay", spec.accepted_delay, waited / cost);
  return verdict;
}

std::string Explain(const CostTrigger& spec, const Verdict& verdict) {
  const Observed& seen = verdict.observed();
  const std::string samples = Counted(ValueOf(seen, number::kSamples), "sample");
  if (ValueOf(seen, number::kTrainings) == 0) return ExplainFirstTraining(spec.first, seen);
  const v1::Comparison& compared = verdict.comparison();
  const bool mistakes = spec.of == CostOf::kMisclassifications;
  const std::string waited = Figure(ValueOf(seen, number::kWaited));
  std::string said = fmt::format(
      "{}, worth {} of training at `accepted_delay` {}; a training was forecast to {} {} (from "
      "{})",
      mistakes ? "avoidable mistakes had gone on for " + waited + " mistake-seconds together"
               : samples + " had waited " + waited + " sample-seconds together",
      PriceText(spec.price, compared.value()), Figure(spec.accepted_delay),
      spec.price == TrainingPrice::kSeconds ? "take" : "cost",
      PriceText(spec.price, compared.threshold()),
      Counted(ValueOf(seen, number::kTrainings), "training"));
  if (verdict.fired() || mistakes || ValueOf(seen, number::kSamples) == 0) return said;
  const double missing =
      -MarginOf(compared) * spec.accepted_delay / ValueOf(seen, number::kSamples);
  return said +
         fmt::format(". If no more samples come, a training pays off {} later", Span(missing));
}

void CostTrigger::Check(config::Problems& problems) const {
  const bool counts_mistakes = of == CostOf::kMisclassifications;
  if (counts_mistakes == expected_accuracy.has_value()) return;
  problems.Add(counts_mistakes ? "of" : "expected_accuracy",
               counts_mistakes ? "needs the key expected_accuracy" : "needs of: misclassifications",
               counts_mistakes ? "add expected_accuracy: 0.9" : "add of: misclassifications");
}

TriggerNeeds NeedsOf(const CostTrigger& spec) {
  const bool counts_mistakes = spec.of == CostOf::kMisclassifications;
  return {.model_answers = counts_mistakes,
          .samples = counts_mistakes,
          .training_costs = true,
          .usage = spec.price != TrainingPrice::kSeconds,
          .prices = spec.price == TrainingPrice::kMoney};
}

void TriggerOf<CostTrigger>::CheckSamples(const transform::DescribedSamples& samples,
                                          config::Problems& problems) const {
  if (spec_.of == CostOf::kMisclassifications) CheckMistakes(samples, "of", true, problems);
}

std::vector<config::Remark> TriggerOf<CostTrigger>::Advise(const StreamFacts& stream) const {
  std::vector<config::Remark> remarks;
  const auto add = [&](std::vector<config::Remark> more) {
    remarks.insert(remarks.end(), more.begin(), more.end());
  };
  add(FindOutOfReach("first", spec_.first, stream));
  add(FindOutOfReach("evaluate.samples", spec_.evaluate.samples, stream));
  if (spec_.expected_accuracy == 0) {
    remarks.push_back({.path = "expected_accuracy",
                       .message = "expects that a new model is always wrong, so no mistake costs "
                                  "anything and nothing fires",
                       .hint = "write an accuracy above 0"});
  }
  if (spec_.evaluate.samples) {
    AddTinyFirst(std::max(*spec_.evaluate.samples, spec_.first.value_or(0)), remarks);
  }
  return remarks;
}

TIDEMILL_PART(Trigger, TriggerOf, CostTrigger)

}  // namespace tidemill::supervisor
