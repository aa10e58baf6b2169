#include "supervisor/triggers/plain/evaluation_points.h"

#include <string>
#include <utility>

#include "base/overloaded.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"

namespace tidemill::supervisor {
namespace {

std::variant<SampleGrid, PeriodGrid> GridOf(const DecisionInterval& evaluate) {
  if (evaluate.samples) return SampleGrid(*evaluate.samples);
  return PeriodGrid(EqualPeriods(*evaluate.every));
}

bool IsAt(const std::optional<DecisionPoint>& point, const Cut& at) {
  return point && point->at == at;
}

std::optional<DecisionPoint> Earlier(std::optional<DecisionPoint> a,
                                     std::optional<DecisionPoint> b) {
  if (!a || (b && b->at < a->at)) return b;
  return a;
}

std::unique_ptr<TriggerPolicy> PolicyOf(const SimpleTrigger& simple) {
  return std::visit([](const auto& spec) { return MakePolicy(spec); }, simple);
}

// The answer of the warm-up's trigger to its own observations.
Verdict JudgeSimple(const SimpleTrigger& simple, const Observed& observed) {
  Observed own;
  for (const auto& [name, value] : observed) {
    if (name.starts_with(number::kWarmUpTrigger))
      own[name.substr(number::kWarmUpTrigger.size())] = value;
  }
  return std::visit([&](const auto& spec) { return Judge(spec, own); }, simple);
}

}  // namespace

EvaluationPoints::EvaluationPoints(const DecisionInterval& evaluate,
                                   const std::optional<WarmUp>& warm_up)
    : warm_up_(warm_up), grid_(GridOf(evaluate)) {
  if (warm_up) warming_ = Warming{.trigger = PolicyOf(warm_up->trigger)};
}

std::optional<DecisionPoint> EvaluationPoints::NextPoint(Samples ahead, Timestamp clock) const {
  const auto point = std::visit(
      Overloaded{[&](const SampleGrid& counts) { return counts.NextPoint(ahead); },
                 [&](const PeriodGrid& periods) { return periods.NextPoint(ahead, clock); }},
      grid_);
  if (!IsWarmingUp()) return point;
  return Earlier(point, warming_->trigger->NextPoint(ahead, clock));
}

void EvaluationPoints::Take(Samples samples) {
  std::visit([&](auto& grid) { grid.Take(samples); }, grid_);
  if (IsWarmingUp()) warming_->trigger->Take(samples);
}

bool EvaluationPoints::EvaluatesAt(const Cut& at) const {
  return std::visit(
      Overloaded{[&](const SampleGrid& counts) { return IsAt(counts.NextPoint({}), at); },
                 [&](const PeriodGrid& periods) {
                   return IsAt(periods.NextPoint({}, at.event_time), at);
                 }},
      grid_);
}

Observed EvaluationPoints::Pass(const Evidence& evidence) {
  const Cut& at = evidence.at;
  const bool evaluates = EvaluatesAt(at);
  Observed observed;
  if (IsWarmingUp()) {
    if (evaluates) ++warming_->evaluations;
    observed[number::kWarmUp] = static_cast<double>(warming_->evaluations);
    if (IsAt(warming_->trigger->NextPoint({}, at.event_time), at)) {
      observed[number::kWarmUpDecided] = 1;
      // A simple trigger always has an answer.
      const Verdict simple = *warming_->trigger->Decide({.at = at});
      for (const auto& [name, value] : simple.observed()) {
        observed[std::string(number::kWarmUpTrigger) + name] = value;
      }
    }
  }
  if (!evaluates) return observed;
  std::visit(Overloaded{[](SampleGrid& counts) { counts.Restart(); },
                        [&](PeriodGrid& periods) { periods.PassTo(at.event_time); }},
             grid_);
  return observed;
}

void EvaluationPoints::Fired(const Cut& at) {
  const bool counts_on = IsWarmingUp();
  std::visit(Overloaded{[&](SampleGrid& counts) {
                          if (!counts_on) counts.Restart();
                        },
                        [&](PeriodGrid& periods) { periods.StartAt(at.event_time); }},
             grid_);
  if (counts_on) warming_->trigger->Fired(at);
}

std::string EvaluationPoints::Standing() const {
  std::string here = std::visit([](const auto& grid) { return grid.Standing(); }, grid_);
  if (!IsWarmingUp()) return here;
  return fmt::format("warming up, {} of {} done; {}", warming_->evaluations,
                     Counted(static_cast<double>(warm_up_->evaluations), "evaluation"),
                     warming_->trigger->Standing());
}

std::optional<Verdict> JudgeWarmUp(const std::optional<WarmUp>& warm_up, std::string_view policy,
                                   const Observed& observed) {
  if (!warm_up || !observed.contains(number::kWarmUp)) return std::nullopt;
  Verdict verdict;
  if (observed.contains(number::kWarmUpDecided)) {
    verdict = JudgeSimple(warm_up->trigger, observed);
    if (verdict.has_nearest()) {
      verdict.mutable_nearest()->set_key(std::string(number::kWarmUpTrigger) +
                                         verdict.nearest().key());
    }
  } else {
    *verdict.mutable_comparison() =
        Awaited("evaluations of the warm-up", ValueOf(observed, number::kWarmUp),
                static_cast<double>(warm_up->evaluations), "evaluations");
  }
  verdict.set_policy(std::string(policy));
  *verdict.mutable_observed() = observed;
  return verdict;
}

std::optional<std::string> ExplainWarmUp(const std::optional<WarmUp>& warm_up,
                                         const Verdict& verdict) {
  if (!warm_up || !verdict.observed().contains(number::kWarmUp)) return std::nullopt;
  const std::string so_far =
      fmt::format("warming up, {} of {} done", Figure(ValueOf(verdict.observed(), number::kWarmUp)),
                  Counted(static_cast<double>(warm_up->evaluations), "evaluation"));
  if (!verdict.observed().contains(number::kWarmUpDecided))
    return so_far + "; its trigger decides at other points";
  const Verdict simple = JudgeSimple(warm_up->trigger, verdict.observed());
  return so_far + ": " +
         std::visit([&](const auto& spec) { return Explain(spec, simple); }, warm_up->trigger);
}

}  // namespace tidemill::supervisor
