#include "supervisor/triggers/errors/forecast_trigger.h"

#include <algorithm>
#include <limits>

#include "fmt/format.h"

#include "supervisor/statistics/distributions.h"
#include "supervisor/statistics/forecasts/error_forecast.h"
#include "supervisor/triggers/errors/interval_policy.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"
#include "supervisor/triggers/rule_trigger.h"

namespace tidemill::supervisor {
namespace {

// The logit of an error that is neither 0 nor 1, as half an error and half a success more make it.
double LogitOf(double error, double rows) {
  return statistics::Logit((error * rows + 0.5) / (rows + 1));
}

struct ForecastMemory {
  statistics::ModelAge model = {};
  statistics::ErrorRecord record = {};
  statistics::ScoreHistory new_models = {};  // The error of each on its first interval.

  static ForecastMemory Of(const ForecastTrigger& spec) {
    return {.record = {.most = spec.memory}, .new_models = {.most = spec.expected.trainings}};
  }
  void Look(const ForecastTrigger& spec, const IntervalError& interval, Observed& observed) {
    const double logit = LogitOf(interval.error, interval.rows);
    Remember(spec, interval, logit);
    if (interval.is_first) new_models.Add(interval.error);
    const double expected = spec.expected.Of(new_models);
    const statistics::ErrorForecast forecast(record, model.now, spec.horizon);
    const statistics::ForecastCosts costs = forecast.Costs(
        model, LogitOf(expected, interval.rows), statistics::NormalQuantile(1 - spec.delta));
    observed[number::kExpectedError] = expected;
    observed[number::kKeep] = costs.keep;
    observed[number::kTrain] = costs.train;
    if (costs.keep_then_train) observed[number::kKeepThenTrain] = *costs.keep_then_train;
    if (costs.train_again) observed[number::kTrainAgain] = *costs.train_again;
  }
  void Pass(const ForecastTrigger&, Observed&) {}
  void Trained(const ForecastTrigger&) { model = {.now = model.now, .trained = model.now}; }

  void Fields(auto&& field) {
    field("now", model.now);
    field("trained", model.trained);
    field("age", model.age);
    field("logit", model.logit);
    field("record", record);
    field("new_models", new_models);
  }

 private:
  void Remember(const ForecastTrigger& spec, const IntervalError& interval, double logit) {
    ++model.now;
    ++model.age;
    // The first model has none before it to be compared with.
    if (!interval.is_first) {
      record.Add(model.trained, model.age, model.logit, logit);
    } else if (spec.expected.expected_error || !new_models.scores.empty()) {
      const double before = LogitOf(spec.expected.Of(new_models), interval.rows);
      record.Add(model.trained, model.age, before, logit);
    }
    model.logit = logit;
  }
};

// The observed costs; infinity for choices that do not exist.
double PlanCost(const Observed& observed, NumberName name) {
  const auto it = observed.find(name);
  return it == observed.end() ? std::numeric_limits<double>::infinity() : it->second;
}

struct Costs {
  explicit Costs(const Observed& observed)
      : keep(PlanCost(observed, number::kKeep)),
        keep_then_train(PlanCost(observed, number::kKeepThenTrain)),
        train(PlanCost(observed, number::kTrain)),
        train_again(PlanCost(observed, number::kTrainAgain)) {}

  double OfKeeping(double price) const { return std::min(keep, price + keep_then_train); }
  double OfTraining(double price) const { return price + std::min(train, price + train_again); }
  // The greatest price at which training costs no more than keeping: there it costs no more than
  // either way to keep, by one way to train or the other.
  double TurningPrice() const {
    const double beside_keep = std::max(keep - train, (keep - train_again) / 2);
    if (keep_then_train >= train) return beside_keep;
    return std::min(beside_keep, keep_then_train - train_again);
  }

  double keep, keep_then_train, train, train_again;
};

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const ForecastTrigger& spec) {
  return std::make_unique<IntervalPolicy<ForecastTrigger, ForecastMemory>>(spec);
}

Verdict Judge(const ForecastTrigger& spec, const Observed& observed) {
  if (auto without = JudgeInterval(spec.intervals, ForecastTrigger::kType, observed)) {
    return *without;
  }
  Verdict verdict = NewVerdict(ForecastTrigger::kType, observed);
  const Costs costs(observed);
  *verdict.mutable_comparison() =
      Compared("forecast cost of keeping the model", costs.OfKeeping(spec.price),
               costs.OfTraining(spec.price), "errors x intervals");
  verdict.set_fired(MarginOf(verdict.comparison()) >= 0);
  if (const double price = costs.TurningPrice(); price >= 0) {
    *verdict.mutable_nearest() = ChangeOf("price", spec.price, price);
  }
  return verdict;
}

std::string Explain(const ForecastTrigger& spec, const Verdict& verdict) {
  const Observed& seen = verdict.observed();
  if (auto without = ExplainWithoutError(spec.intervals, seen)) return *without;
  const v1::Comparison& compared = verdict.comparison();
  return fmt::format(
      "{}; over the next {}, with a chance of {} of more, keeping it is forecast to "
      "cost {}, and training now {}, of which `price` is {}",
      ExplainError(spec.intervals, seen), Counted(static_cast<double>(spec.horizon), "interval"),
      Figure(spec.delta), Figure(compared.value()), Figure(compared.threshold()),
      Figure(spec.price));
}

TriggerNeeds NeedsOf(const ForecastTrigger&) { return {.model_answers = true, .samples = true}; }

void TriggerOf<ForecastTrigger>::CheckSamples(const transform::DescribedSamples& samples,
                                              config::Problems& problems) const {
  supervisor::CheckSamples(spec_.intervals, samples, problems);
}

std::vector<config::Remark> TriggerOf<ForecastTrigger>::Advise(const StreamFacts& stream) const {
  std::vector<config::Remark> remarks = supervisor::Advise(spec_.intervals, stream);
  if (spec_.price >= static_cast<double>(spec_.horizon)) {
    remarks.push_back(
        {.path = "price",
         .message = fmt::format("is more than {} can cost, so nothing fires",
                                Counted(static_cast<double>(spec_.horizon), "interval")),
         .hint = "write a smaller price, or a greater horizon"});
  }
  return remarks;
}

TIDEMILL_PART(Trigger, TriggerOf, ForecastTrigger)

}  // namespace tidemill::supervisor
