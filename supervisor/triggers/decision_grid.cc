#include "supervisor/triggers/decision_grid.h"

#include <algorithm>

#include "supervisor/statistics/sealed_state.h"
#include "supervisor/triggers/phrases.h"

namespace tidemill::supervisor {

std::optional<DecisionPoint> SampleGrid::NextPoint(Samples ahead) const {
  const int64_t missing = every_ - seen_;
  if (missing <= 0) return DecisionPoint{.at = *end_, .num_before = 0};
  if (missing > static_cast<int64_t>(ahead.size())) return std::nullopt;
  const auto n = static_cast<size_t>(missing);
  return DecisionPoint{.at = ahead.First(n).End(), .num_before = n};
}

void SampleGrid::Take(Samples samples) {
  if (samples.empty()) return;
  seen_ += static_cast<int64_t>(samples.size());
  end_ = samples.End();
}

std::string SampleGrid::Standing() const {
  return fmt::format("{} of the {} until the next decision had come",
                     Counted(static_cast<double>(seen_), "sample"),
                     Figure(static_cast<double>(every_)));
}

absl::Status SampleGrid::Check() const {
  if (seen_ < 0 || seen_ > every_ || (seen_ > 0 && !end_)) {
    return DataLoss("a sealed trigger policy has seen {} of {} samples", seen_, every_);
  }
  return absl::OkStatus();
}

Period EqualPeriods::After(const Period& before, Timestamp time) const {
  const int64_t skipped = (time.micros - before.to.micros) / every_;
  return First({before.to.micros + skipped * every_});
}

Period PeriodGrid::First(Timestamp time) const {
  return std::visit([&](const auto& periods) { return periods.First(time); }, periods_);
}

Period PeriodGrid::After(const Period& before, Timestamp time) const {
  return std::visit([&](const auto& periods) { return periods.After(before, time); }, periods_);
}

Period PeriodGrid::PeriodFor(int64_t time) const {
  if (!period_) return First({time});
  if (seen_ == 0 && time >= period_->to.micros) return After(*period_, {time});
  return *period_;
}

std::optional<DecisionPoint> PeriodGrid::NextPoint(Samples ahead, Timestamp clock) const {
  if (ahead.empty()) {
    if (seen_ == 0 || clock < period_->to) return std::nullopt;
    return DecisionPoint{.at = {period_->to, {0}}, .num_before = 0};
  }
  const Period period = PeriodFor(ahead.event_times.front());
  const auto end =
      std::lower_bound(ahead.event_times.begin(), ahead.event_times.end(), period.to.micros);
  if (end == ahead.event_times.end() && clock < period.to) return std::nullopt;
  return DecisionPoint{.at = {period.to, {0}},
                       .num_before = static_cast<size_t>(end - ahead.event_times.begin())};
}

void PeriodGrid::Take(Samples samples) {
  if (samples.empty()) return;
  period_ = PeriodFor(samples.event_times.front());
  seen_ += static_cast<int64_t>(samples.size());
}

void PeriodGrid::PassTo(Timestamp end) {
  seen_ = 0;
  period_ = After(*period_, end);
}

void PeriodGrid::StartAt(Timestamp time) {
  if (!period_) period_ = First(time);
}

std::string PeriodGrid::Standing() const {
  if (!period_) return "no sample had come";
  return fmt::format("{} had come in the period until {}, which had not ended",
                     Counted(static_cast<double>(seen_), "sample"),
                     FormatTimestampShort(period_->to));
}

namespace {

struct PeriodGridState {
  int64_t seen = 0;
  std::optional<Cut> period = std::nullopt;  // Two numbers, too.
  void Fields(auto&& field) {
    field("seen", seen);
    field("period", period);
  }
};

}  // namespace

nlohmann::json PeriodGrid::Seal() const {
  PeriodGridState state = {.seen = seen_};
  if (period_) state.period = Cut{period_->from, {period_->to.micros}};
  return statistics::SealState(state);
}

absl::Status PeriodGrid::Restore(const nlohmann::json& sealed) {
  ASSIGN_OR_RETURN(const auto state, statistics::RestoreState<PeriodGridState>(sealed));
  seen_ = state.seen;
  period_.reset();
  if (state.period) period_ = Period{state.period->event_time, {state.period->sample_key.value}};
  if (seen_ < 0 || (seen_ > 0 && !period_) || (period_ && period_->to <= period_->from)) {
    return DataLoss("a sealed trigger policy has {} samples in a period that is not valid", seen_);
  }
  return absl::OkStatus();
}

}  // namespace tidemill::supervisor
