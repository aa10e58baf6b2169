#include <utility>

#include "supervisor/triggers/trigger_policy.h"

namespace tidemill::supervisor {
namespace {

// Periods of equal length; where they begin is the stream's affair.
class EqualPeriods {
 public:
  explicit EqualPeriods(Duration every) : every_(every.micros) {}

  Period First(Timestamp time) const { return {time, {time.micros + every_}}; }

  // The period that holds a time behind `before`.
  Period After(const Period& before, Timestamp time) const {
    const int64_t skipped = (time.micros - before.to.micros) / every_;
    return First({before.to.micros + skipped * every_});
  }

 private:
  int64_t every_;
};

class CalendarPeriods {
 public:
  explicit CalendarPeriods(Calendar calendar) : calendar_(std::move(calendar)) {}

  Period First(Timestamp time) const { return calendar_.PeriodOf(time); }
  Period After(const Period&, Timestamp time) const { return calendar_.PeriodOf(time); }

 private:
  Calendar calendar_;
};

// Decides at the end of each period that holds samples, once a sample of a later period or the
// clock shows that the period is over.
template <typename Periods>
class TimePolicy final : public TriggerPolicy {
 public:
  // `start` is where the last period ended.
  TimePolicy(Periods periods, std::optional<Timestamp> start) : periods_(std::move(periods)) {
    if (start) period_ = periods_.First(*start);
  }

  std::vector<Decision> Inform(std::span<const int64_t> event_times,
                               std::span<const int64_t>) override {
    std::vector<Decision> decisions;
    for (const int64_t time : event_times) {
      if (!period_) period_ = periods_.First({time});
      if (time >= period_->to.micros) {
        if (seen_ > 0) decisions.push_back(Close());
        period_ = periods_.After(*period_, {time});
      }
      ++seen_;
    }
    return decisions;
  }

  std::vector<Decision> Advance(Timestamp clock) override {
    if (seen_ == 0 || clock < period_->to) return {};
    std::vector<Decision> decisions = {Close()};
    period_ = periods_.After(*period_, period_->to);
    return decisions;
  }

 private:
  Decision Close() {
    const double length = static_cast<double>(period_->to.micros - period_->from.micros);
    const int64_t seen = std::exchange(seen_, 0);
    return {.at = {period_->to, {0}},
            .fired = true,
            .num_samples = seen,
            .observed = {{"samples", static_cast<double>(seen)}, {"period_seconds", length / 1e6}}};
  }

  const Periods periods_;
  std::optional<Period> period_;
  int64_t seen_ = 0;  // Samples of the period.
};

template <typename Periods>
std::unique_ptr<TriggerPolicy> Make(Periods periods, const std::optional<Decision>& last) {
  return std::make_unique<TimePolicy<Periods>>(
      std::move(periods), last ? std::optional<Timestamp>(last->at.event_time) : std::nullopt);
}

}  // namespace

std::unique_ptr<TriggerPolicy> MakePolicy(const TimeTrigger& spec,
                                          const std::optional<Decision>& last) {
  if (spec.calendar) return Make(CalendarPeriods(spec.PeriodsOfCalendar()), last);
  return Make(EqualPeriods(spec.Length()), last);
}

}  // namespace tidemill::supervisor
