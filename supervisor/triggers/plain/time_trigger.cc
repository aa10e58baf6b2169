#include "supervisor/triggers/plain/time_trigger.h"

#include <algorithm>
#include <vector>

#include "fmt/format.h"

#include "supervisor/statistics/sealed_state.h"
#include "supervisor/triggers/decision_grid.h"
#include "supervisor/triggers/first_training.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"
#include "supervisor/triggers/rule_trigger.h"

namespace tidemill::supervisor {
namespace {

// How many units of the calendar a period has.
absl::StatusOr<int64_t> UnitsOf(const TimeTrigger& spec) {
  return spec.every ? config::ParseCount(*spec.every) : absl::StatusOr<int64_t>(1);
}

const std::string& ZoneOf(const TimeTrigger& spec) {
  static const auto* const kUtc = new std::string("UTC");
  return spec.time_zone.empty() ? *kUtc : spec.time_zone;
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
  absl::StatusOr<Verdict> Decide(const Evidence&) override {
    const Period period = *grid_.period();
    const int64_t seen = grid_.seen();
    grid_.PassTo(period.to);
    const double length = static_cast<double>(period.to.micros - period.from.micros) / 1e6;
    Observed observed = ObservedOf(
        {{number::kSamples, static_cast<double>(seen)}, {number::kPeriodSeconds, length}});
    if (spec_.first && !has_model_) {
      before_ += seen;
      observed[number::kWithoutModel] = static_cast<double>(before_);
    }
    return Judge(spec_, observed);
  }
  void Fired(const Cut& at) override {
    grid_.StartAt(at.event_time);
    has_model_ = true;
    before_ = 0;
  }
  void NoModel() override { has_model_ = false; }
  std::string Standing() const override { return grid_.Standing(); }
  nlohmann::json Seal() const override {
    return spec_.first ? statistics::SealState(*this) : grid_.Seal();
  }
  absl::Status Restore(const nlohmann::json& state) override {
    return spec_.first ? statistics::RestoreInto(state, *this) : grid_.Restore(state);
  }
  void Fields(auto&& field) {
    field("model", has_model_);
    field("before", before_);
    field("grid", grid_);
  }

 private:
  const TimeTrigger spec_;
  PeriodGrid grid_;
  bool has_model_ = false;
  int64_t before_ = 0;  // Samples of the periods that ended without a model.
};

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const TimeTrigger& spec) {
  return std::make_unique<TimePolicy>(spec);
}

Verdict Judge(const TimeTrigger& spec, const Observed& observed) {
  const double passed = ValueOf(observed, number::kPeriodSeconds);
  const double asked = spec.calendar ? passed : static_cast<double>(spec.Length().micros) / 1e6;
  Verdict verdict = NewVerdict(TimeTrigger::kType, observed);
  verdict.set_fired(passed >= asked);
  *verdict.mutable_comparison() = Compared("event time passed", passed, asked, "seconds");
  if (!spec.calendar) *verdict.mutable_nearest() = ChangeOf("every", asked, passed);
  if (spec.first && observed.contains(number::kWithoutModel)) {
    const double samples = ValueOf(observed, number::kWithoutModel);
    const auto wanted = static_cast<double>(*spec.first);
    verdict.set_fired(verdict.fired() && samples >= wanted);
    *verdict.mutable_comparison() = Awaited("samples without a model", samples, wanted, "samples");
    *verdict.mutable_nearest() = ChangeOf("first", wanted, samples);
  }
  return verdict;
}

std::string Explain(const TimeTrigger& spec, const Verdict& verdict) {
  const Observed& seen = verdict.observed();
  const std::string held = Counted(ValueOf(seen, number::kSamples), "sample");
  std::string text;
  if (!spec.calendar) {
    text = fmt::format("a period of {} of event time had ended, with {} in it",
                       Span(ValueOf(seen, number::kPeriodSeconds)), held);
  }
  for (const auto& [unit, name] : config::EnumNames<CalendarUnit>::kNames) {
    if (unit != spec.calendar) continue;
    const std::string units = spec.every ? *spec.every + " x " : "";
    text =
        fmt::format("a period of the calendar ({}{}) had ended, with {} in it", units, name, held);
  }
  if (!spec.first || !seen.contains(number::kWithoutModel)) return text;
  return text + fmt::format("; {} of the {} that the first training waits for had come",
                            Figure(ValueOf(seen, number::kWithoutModel)),
                            Figure(static_cast<double>(*spec.first)));
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
    if (!Calendar::Create(CalendarUnit::kDay, 1, ZoneOf(*this)).ok()) {
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
  if (const auto made = Calendar::Create(*calendar, *units, ZoneOf(*this)); !made.ok()) {
    problems.Add("time_zone", std::string(made.status().message()),
                 "write a name such as Europe/Zurich, or an offset such as +08:00");
  }
}

Duration TimeTrigger::Length() const { return *ParseDuration(*every); }

Calendar TimeTrigger::PeriodsOfCalendar() const {
  return *Calendar::Create(*calendar, *UnitsOf(*this), ZoneOf(*this));
}

TriggerNeeds NeedsOf(const TimeTrigger&) { return {}; }

namespace {

// How many of the first samples are in the first period, if it ends among them.
std::optional<int64_t> CountFirst(const TimeTrigger& spec, const std::vector<Timestamp>& times) {
  if (times.empty()) return std::nullopt;
  const auto [least, greatest] = std::ranges::minmax(times);
  const Timestamp end =
      spec.calendar ? spec.PeriodsOfCalendar().PeriodOf(least).to : least + spec.Length();
  if (greatest < end) return std::nullopt;
  return std::ranges::count_if(times, [&](Timestamp time) { return time < end; });
}

}  // namespace

std::vector<config::Remark> TriggerOf<TimeTrigger>::Advise(const StreamFacts& stream) const {
  std::vector<config::Remark> remarks = FindOutOfReach("first", spec_.first, stream);
  const auto num_first = spec_.first ? std::nullopt : CountFirst(spec_, stream.times);
  if (spec_.calendar) {
    if (num_first) AddTinyFirst(*num_first, remarks);
    return remarks;
  }
  const std::optional<Duration> step = stream.step;
  if (step && spec_.Length() < *step) {
    remarks.push_back(
        {.path = "every",
         .message = fmt::format("a period of {} is shorter than the {} from one sample to the "
                                "next, so each sample starts a training",
                                *spec_.every, FormatDuration(*step)),
         .hint =
             fmt::format("write a longer period, such as {}", FormatDuration({step->micros * 100})),
         .is_error = false});
  } else if (num_first) {
    AddTinyFirst(*num_first, remarks);
  }
  if (ZoneOf(spec_) != "UTC") {
    remarks.push_back({.path = "time_zone",
                       .message = "has no meaning for periods of a fixed length",
                       .hint = "leave it out, or write calendar: day, week, month or year"});
  }
  return remarks;
}

TIDEMILL_PART(Trigger, TriggerOf, TimeTrigger)

}  // namespace tidemill::supervisor
