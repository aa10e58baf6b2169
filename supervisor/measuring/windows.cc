#include "supervisor/measuring/windows.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <variant>

#include "base/overloaded.h"
#include "base/time.h"
#include "base/times/time_zone.h"
#include "supervisor/runs/cuts.h"

// The windows of each type are listed in windows.h.

namespace tidemill::supervisor {
namespace {

rpc::v1::Cut CutAt(int64_t event_time) {
  rpc::v1::Cut cut;
  cut.set_event_time(event_time);
  return cut;
}

Window Between(const rpc::v1::Cut& from, const rpc::v1::Cut& to) {
  return {.from = from, .to = to};
}

Window Between(int64_t from, int64_t to) { return Between(CutAt(from), CutAt(to)); }

// As far as times can go.
int64_t Later(int64_t time, int64_t by) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(time, by, &sum)) return sum;
  return by < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

int64_t FloorDivide(int64_t number, int64_t by) { return number / by - (number % by < 0 ? 1 : 0); }

// The beginnings of periodic windows, which are numbered: 0 is that of 1970-01-01, moved by the
// offset.
class Beginnings {
 public:
  explicit Beginnings(const evaluator::Periodic& spec)
      : spec_(spec),
        // The spec was checked.
        zone_(TimeZone::Create(spec.time_zone.value_or("UTC")).value_or(TimeZone())) {}

  int64_t TimeOf(int64_t number) const { return Instant(LocalTimeOf(number)); }

  // The number of the last beginning at or before `time`.
  int64_t NumberAt(int64_t time) const {
    const int64_t number = LocalNumberAt(ShownAt(time));
    if (!spec_.time_zone) return number;
    // The clock may be set between a beginning and `time`.
    if (TimeOf(number) > time) return number - 1;
    return TimeOf(number + 1) <= time ? number + 1 : number;
  }

 private:
  // Whether the clock is followed: for months, years and whole days in a zone.
  bool IsOfClock() const {
    constexpr int64_t kDay = 86'400'000'000;
    return spec_.time_zone && (!spec_.every || spec_.every->micros % kDay == 0);
  }
  // The clock's reading at a time. For other lengths: the clock of 1970, which is never set.
  int64_t ShownAt(int64_t time) const {
    if (!spec_.time_zone) return time;
    return IsOfClock() ? zone_.ToLocal({time}) : Later(time, zone_.ToLocal({0}));
  }
  int64_t Instant(int64_t shown) const {
    if (!spec_.time_zone) return shown;
    if (!IsOfClock()) return Later(shown, -zone_.ToLocal({0}));
    return zone_.FirstAtOrAfter(shown).micros;
  }

  int64_t LocalTimeOf(int64_t number) const {
    if (spec_.every) {
      int64_t time = 0;
      if (__builtin_mul_overflow(number, spec_.every->micros, &time)) {
        return number < 0 ? std::numeric_limits<int64_t>::min()
                          : std::numeric_limits<int64_t>::max();
      }
      return Later(time, spec_.offset.micros);
    }
    const int64_t months = number * MonthsEach();
    const std::chrono::sys_days first =
        std::chrono::year_month(std::chrono::year(1970), std::chrono::January) / 1 +
        std::chrono::months(months);
    return Later(std::chrono::microseconds(first.time_since_epoch()).count(), spec_.offset.micros);
  }

  int64_t LocalNumberAt(int64_t time) const {
    const int64_t moved = Later(time, -spec_.offset.micros);
    if (spec_.every) return FloorDivide(moved, spec_.every->micros);
    const std::chrono::sys_time<std::chrono::microseconds> point{std::chrono::microseconds(moved)};
    const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(point));
    const int64_t months = (static_cast<int>(date.year()) - 1970) * int64_t{12} +
                           static_cast<int64_t>(static_cast<unsigned>(date.month())) - 1;
    return FloorDivide(months, MonthsEach());
  }

  int64_t MonthsEach() const { return *spec_.calendar == evaluator::CalendarUnit::kYear ? 12 : 1; }

  const evaluator::Periodic& spec_;
  const TimeZone zone_;
};

// Windows not yet cut off at the ends of the dataset, for each kind.
class WindowMaker {
 public:
  WindowMaker(const v1::DatasetSynced& dataset, const std::vector<TriggerState>& triggers)
      : dataset_(dataset), triggers_(triggers) {}

  std::vector<Window> operator()(const evaluator::BetweenTriggers&) const {
    std::vector<Window> windows;
    rpc::v1::Cut from = dataset_.from();
    for (const TriggerState& trigger : triggers_) {
      windows.push_back(Between(from, trigger.trigger.at()));
      if (Place(from) < Place(trigger.trigger.at())) from = trigger.trigger.at();
    }
    windows.push_back(Between(from, dataset_.to()));
    return windows;
  }

  std::vector<Window> operator()(const evaluator::Whole&) const {
    return {Between(dataset_.from(), dataset_.to())};
  }

  std::vector<Window> operator()(const evaluator::Slices& slices) const {
    std::vector<Window> windows;
    for (int64_t time = Start(); time < End(); time = Later(time, slices.every.micros)) {
      windows.push_back(Between(time, Later(time, slices.every.micros)));
    }
    return windows;
  }

  std::vector<Window> operator()(const evaluator::Periodic& spec) const {
    std::vector<Window> windows;
    const Beginnings beginnings(spec);
    const int64_t last = beginnings.NumberAt(End() - 1);
    for (int64_t number = beginnings.NumberAt(Start()); number <= last; ++number) {
      const int64_t time = beginnings.TimeOf(number);
      windows.push_back(Between(
          time, spec.length ? Later(time, spec.length->micros) : beginnings.TimeOf(number + 1)));
    }
    return windows;
  }

  std::vector<Window> operator()(const evaluator::Intervals& spec) const {
    std::vector<Window> windows;
    for (const evaluator::TimeInterval& interval : spec.intervals) {
      windows.push_back(Between(interval.from.micros, interval.to.micros));
    }
    return windows;
  }

  std::vector<Window> operator()(const evaluator::AroundTriggers& spec) const {
    std::vector<Window> windows;
    for (const TriggerState& trigger : triggers_) {
      const int64_t cut = trigger.trigger.at().event_time();
      windows.push_back(Between(Later(cut, spec.from.micros), Later(cut, spec.to.micros)));
    }
    return windows;
  }

 private:
  int64_t Start() const { return dataset_.from().event_time(); }
  int64_t End() const { return dataset_.to().event_time(); }

  const v1::DatasetSynced& dataset_;
  const std::vector<TriggerState>& triggers_;
};

// How many windows are in the dataset's time.
double NumWindows(const evaluator::WindowsSpec& spec, const v1::DatasetSynced& dataset,
                  size_t num_triggers) {
  const int64_t start = dataset.from().event_time();
  const int64_t end = dataset.to().event_time();
  const auto triggers = static_cast<double>(num_triggers);
  return std::visit(
      Overloaded{[&](const evaluator::BetweenTriggers&) { return triggers + 1; },
                 [&](const evaluator::AroundTriggers&) { return triggers; },
                 [](const evaluator::Whole&) { return 1.0; },
                 [](const evaluator::Intervals& intervals) {
                   return static_cast<double>(intervals.intervals.size());
                 },
                 [&](const evaluator::Slices& slices) {
                   return std::ceil((static_cast<double>(end) - static_cast<double>(start)) /
                                    static_cast<double>(slices.every.micros));
                 },
                 [&](const evaluator::Periodic& periodic) {
                   const Beginnings beginnings(periodic);
                   return static_cast<double>(beginnings.NumberAt(end - 1)) -
                          static_cast<double>(beginnings.NumberAt(start)) + 1;
                 }},
      spec);
}

absl::Status CheckNumWindows(const evaluator::WindowsSpec& spec, const v1::DatasetSynced& dataset,
                             size_t num_triggers) {
  const double number = NumWindows(spec, dataset, num_triggers);
  if (number <= static_cast<double>(evaluator::kMaxWindows)) return absl::OkStatus();
  const bool of_triggers = std::holds_alternative<evaluator::BetweenTriggers>(spec) ||
                           std::holds_alternative<evaluator::AroundTriggers>(spec);
  return FailedPrecondition(
      "the evaluation on '{}' would have {:.0f} windows over its samples from {} to {}, but {} are "
      "allowed; {}",
      dataset.name(), number, FormatTimestamp({dataset.from().event_time()}),
      FormatTimestamp({dataset.to().event_time() - 1}), evaluator::kMaxWindows,
      of_triggers ? "let triggers fire less often, or divide the dataset into windows by time"
                  : "make the windows longer, or correct the event times of samples that are far "
                    "from all others");
}

void NameModels(Window& window, const std::vector<TriggerState>& triggers) {
  for (const TriggerState& trigger : triggers) {
    if (Place(trigger.trigger.at()) <= Place(window.from)) {
      window.active_trigger = trigger.trigger.number();
    } else if (!window.trained_trigger && Place(trigger.trigger.at()) >= Place(window.to)) {
      window.trained_trigger = trigger.trigger.number();
    }
  }
}

// Triggers that were skipped are not among them, so a number is not a place.
const v1::Trigger& Numbered(const std::vector<TriggerState>& triggers, int64_t number) {
  return std::ranges::lower_bound(
             triggers, number, {},
             [](const TriggerState& trigger) { return trigger.trigger.number(); })
      ->trigger;
}

void SetInUse(const v1::Trigger& trigger, evaluator::v1::Window& window) {
  window.set_model_in_use(trigger.model_id());
  window.set_trigger_in_use(trigger.number());
  *window.mutable_known_to() = trigger.at();
}

using WindowPlace = std::tuple<int64_t, int64_t, int64_t, int64_t>;

WindowPlace PlaceOf(const rpc::v1::Cut& from, const rpc::v1::Cut& to) {
  return std::tuple_cat(Place(from), Place(to));
}

}  // namespace

absl::Status CheckNumWindows(const evaluator::WindowsSpec& spec, const v1::DatasetSynced& dataset) {
  return CheckNumWindows(spec, dataset, /*num_triggers=*/0);
}

absl::StatusOr<std::vector<Window>> MakeWindows(const evaluator::WindowsSpec& spec,
                                                const v1::DatasetSynced& dataset,
                                                const std::vector<TriggerState>& triggers) {
  RETURN_IF_ERROR(CheckNumWindows(spec, dataset, triggers.size()));
  std::vector<Window> windows = std::visit(WindowMaker(dataset, triggers), spec);
  for (Window& window : windows) {
    if (Place(window.from) < Place(dataset.from())) window.from = dataset.from();
    if (Place(dataset.to()) < Place(window.to)) window.to = dataset.to();
    NameModels(window, triggers);
  }
  std::erase_if(windows,
                [](const Window& window) { return Place(window.to) <= Place(window.from); });
  const auto place = [](const Window& window) { return PlaceOf(window.from, window.to); };
  std::ranges::sort(windows, {}, place);
  const auto repeated = std::ranges::unique(windows, {}, place);
  windows.erase(repeated.begin(), repeated.end());
  return windows;
}

absl::StatusOr<std::vector<evaluator::v1::Window>> WindowsToMeasure(
    const evaluator::EvaluationSpec& spec, const v1::DatasetSynced& dataset,
    const std::vector<TriggerState>& triggers) {
  std::vector<evaluator::v1::Window> measured;
  const bool whole = std::holds_alternative<evaluator::Whole>(spec.windows);
  ASSIGN_OR_RETURN(const std::vector<Window> windows, MakeWindows(spec.windows, dataset, triggers));
  for (const Window& window : windows) {
    evaluator::v1::Window wire;
    *wire.mutable_from() = window.from;
    *wire.mutable_to() = window.to;
    std::optional<int64_t> active = window.active_trigger;
    if (whole && !triggers.empty()) active = triggers.back().trigger.number();
    if (active) SetInUse(Numbered(triggers, *active), wire);
    if (spec.models == evaluator::EvaluatedModels::kActive) {
      if (!active) continue;
      wire.add_model_ids(wire.model_in_use());
    }
    measured.push_back(wire);
  }
  return measured;
}

void MarkSeries(const evaluator::EvaluationSpec& spec, const v1::DatasetSynced& dataset,
                const std::vector<TriggerState>& triggers,
                const std::vector<evaluator::v1::Evaluation*>& values) {
  if (std::holds_alternative<evaluator::Whole>(spec.windows)) return;
  const auto windows = MakeWindows(spec.windows, dataset, triggers);
  if (!windows.ok()) return;
  std::map<WindowPlace, const Window*> places;
  for (const Window& window : *windows) places[PlaceOf(window.from, window.to)] = &window;
  for (evaluator::v1::Evaluation* value : values) {
    const auto window = places.find(PlaceOf(value->from(), value->to()));
    if (window == places.end() || !value->baseline().empty()) continue;
    value->set_active(window->second->active_trigger == value->trigger());
    value->set_trained(window->second->trained_trigger == value->trigger());
  }
}

}  // namespace tidemill::supervisor
