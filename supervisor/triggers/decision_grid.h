// The two ways to declare decision points: by counting samples and by dividing event time.
// Thread-compatible, as the policies that they are parts of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "base/time.h"
#include "supervisor/triggers/calendar.h"
#include "supervisor/triggers/samples.h"

namespace tidemill::supervisor {

// Right after every n-th sample.
class SampleGrid {
 public:
  explicit SampleGrid(int64_t every) : every_(every) {}

  std::optional<DecisionPoint> NextPoint(Samples ahead) const;
  void Take(Samples samples);
  // Moves behind the point that has been reached, or counts from here on.
  void Restart() { seen_ = 0; }

  // Samples since the last point.
  int64_t seen() const { return seen_; }
  // How far the next point is, for people.
  std::string Standing() const;

  nlohmann::json Seal() const;
  absl::Status Restore(const nlohmann::json& state);

 private:
  int64_t every_;
  int64_t seen_ = 0;
  std::optional<Cut> end_;  // Of the samples taken.
};

// Periods of equal length; where they begin is the stream's affair.
class EqualPeriods {
 public:
  explicit EqualPeriods(Duration every) : every_(every.micros) {}

  Period First(Timestamp time) const { return {time, {time.micros + every_}}; }
  // The period that holds a time behind `before`.
  Period After(const Period& before, Timestamp time) const;

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

// At the end of each period that holds samples, once a sample of a later period or the clock shows
// that the period is over.
class PeriodGrid {
 public:
  using Periods = std::variant<EqualPeriods, CalendarPeriods>;
  explicit PeriodGrid(Periods periods) : periods_(std::move(periods)) {}

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const;
  void Take(Samples samples);
  // Moves behind the end of the present period, or of an empty one that ends later.
  void PassTo(Timestamp end);
  // Where no sample has come yet, the first period begins here.
  void StartAt(Timestamp time);

  // The present one; absent before the first sample.
  const std::optional<Period>& period() const { return period_; }
  // Samples in it.
  int64_t seen() const { return seen_; }
  // How far the next point is, for people.
  std::string Standing() const;

  nlohmann::json Seal() const;
  absl::Status Restore(const nlohmann::json& state);

 private:
  Period First(Timestamp time) const;
  Period After(const Period& before, Timestamp time) const;
  // The present period once a sample at that time is next: an empty one is passed over.
  Period PeriodFor(int64_t time) const;

  Periods periods_;
  std::optional<Period> period_;
  int64_t seen_ = 0;
};

}  // namespace tidemill::supervisor
