#include "supervisor/triggers/decision_grid.h"
#include "supervisor/triggers/phrases.h"
#include "supervisor/triggers/trigger_policy.h"

namespace tidemill::supervisor {
namespace {

PeriodGrid GridOf(const TimeTrigger& spec) {
  if (spec.calendar) return PeriodGrid(CalendarPeriods(spec.PeriodsOfCalendar()));
  return PeriodGrid(EqualPeriods(spec.Length()));
}

// Decides at the end of each period that holds samples, and fires each time. Trainings that others
// want do not move the periods.
class TimePolicy final : public TriggerPolicy {
 public:
  explicit TimePolicy(const TimeTrigger& spec) : spec_(spec), grid_(GridOf(spec)) {}

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const override {
    return grid_.NextPoint(ahead, clock);
  }
  void Take(Samples samples) override { grid_.Take(samples); }
  Verdict Decide(const Evidence&) override {
    const Period period = *grid_.period();
    const auto seen = static_cast<double>(grid_.seen());
    grid_.PassTo(period.to);
    const double length = static_cast<double>(period.to.micros - period.from.micros) / 1e6;
    return Judge(spec_, {{"samples", seen}, {"period_seconds", length}});
  }
  void Fired(const Cut& at) override { grid_.StartAt(at.event_time); }
  std::string Standing() const override { return grid_.Standing(); }
  nlohmann::json Seal() const override { return grid_.Seal(); }
  absl::Status Restore(const nlohmann::json& state) override { return grid_.Restore(state); }

 private:
  const TimeTrigger spec_;
  PeriodGrid grid_;
};

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const TimeTrigger& spec) {
  return std::make_unique<TimePolicy>(spec);
}

Verdict Judge(const TimeTrigger& spec, const Observed& observed) {
  const double passed = ValueOf(observed, "period_seconds");
  const double asked = spec.calendar ? passed : static_cast<double>(spec.Length().micros) / 1e6;
  Verdict verdict = {.policy = std::string(TimeTrigger::kType),
                     .fired = passed >= asked,
                     .observed = observed,
                     .comparison = Comparison{"event time passed", passed, asked, "seconds"}};
  if (!spec.calendar) verdict.nearest = Change{"every", asked, passed};
  return verdict;
}

std::string Explain(const TimeTrigger& spec, const Verdict& verdict) {
  const std::string held = Counted(ValueOf(verdict.observed, "samples"), "sample");
  if (!spec.calendar) {
    return fmt::format("a period of {} of event time had ended, with {} in it",
                       Span(ValueOf(verdict.observed, "period_seconds")), held);
  }
  for (const auto& [unit, name] : config::EnumNames<CalendarUnit>::kNames) {
    if (unit != *spec.calendar) continue;
    const std::string units = spec.every ? *spec.every + " x " : "";
    return fmt::format("a period of the calendar ({}{}) had ended, with {} in it", units, name,
                       held);
  }
  return "";
}

}  // namespace tidemill::supervisor
