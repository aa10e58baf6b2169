#include "supervisor/triggers/time_trigger.h"

#include "fmt/format.h"

#include "supervisor/triggers/decision_grid.h"
#include "supervisor/triggers/phrases.h"

namespace tidemill::supervisor {
namespace {

// How many units of the calendar a period has.
absl::StatusOr<int64_t> UnitsOf(const TimeTrigger& spec) {
  return spec.every ? config::ParseCount(*spec.every) : absl::StatusOr<int64_t>(1);
}

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

void TimeTrigger::Check(config::Problems& problems) const {
  if (!calendar) {
    if (!every) {
      problems.Add("", "has neither `every` nor `calendar`", "add every: 7d or calendar: month");
      return;
    }
    const auto length = ParseDuration(*every);
    if (!length.ok()) {
      problems.Add("every", "expected a duration such as 90s, 5m, 2h or 7d, found '" + *every + "'",
                   "write a length such as 7d");
    } else if (length->micros <= 0) {
      problems.Add("every", "is not positive", "write a length such as 7d");
    }
    // One that is known does nothing, either; that is refused where pipelines come in, as runs of
    // before have to be read.
    if (!Calendar::Create(CalendarUnit::kDay, 1, time_zone).ok()) {
      problems.Add("time_zone", fmt::format("time zone '{}' is unknown", time_zone),
                   "leave it out, or write calendar: day, week, month or year");
    }
    return;
  }
  const auto units = UnitsOf(*this);
  if (!units.ok() || *units < 1 || *units > 10'000) {
    problems.Add("every", "expected a number of units of the calendar, found '" + *every + "'",
                 "write a number of 1 or more, or leave out calendar");
    return;
  }
  if (const auto made = Calendar::Create(*calendar, *units, time_zone); !made.ok()) {
    problems.Add("time_zone", std::string(made.status().message()),
                 "write a name such as Europe/Zurich, or an offset such as +08:00");
  }
}

Duration TimeTrigger::Length() const { return *ParseDuration(*every); }

Calendar TimeTrigger::PeriodsOfCalendar() const {
  return *Calendar::Create(*calendar, *UnitsOf(*this), time_zone);
}

TriggerNeeds NeedsOf(const TimeTrigger&) { return {}; }

std::vector<config::Remark> Advise(const TimeTrigger& spec, std::optional<Duration> step) {
  std::vector<config::Remark> remarks;
  if (spec.calendar) return remarks;
  if (step && spec.Length() < *step) {
    remarks.push_back(
        {.path = "every",
         .message = fmt::format("a period of {} is shorter than the {} from one sample to the "
                                "next, so each sample starts a training",
                                *spec.every, FormatDuration(*step)),
         .hint =
             fmt::format("write a longer period, such as {}", FormatDuration({step->micros * 100})),
         .is_error = false});
  }
  if (spec.time_zone != "UTC") {
    remarks.push_back({.path = "time_zone",
                       .message = "has no meaning for periods of a fixed length",
                       .hint = "leave it out, or write calendar: day, week, month or year"});
  }
  return remarks;
}

}  // namespace tidemill::supervisor
