// The two ways to declare decision points: count samples, or divide event time into periods. Both
// classes are thread-compatible, as are the policies that contain them.
//   SampleGrid, every 3    x x x | x x x | x x x | x        right after every third sample
//
//   PeriodGrid, every day  [x  xx )[      )[  x   )[ x
//                                 |               |         at the end of each day that has samples
//
// Both are functions of the samples alone: how the stream is cut into pieces moves no point.
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

// Decides right after every n-th sample.
class SampleGrid {
 public:
  explicit SampleGrid(int64_t every) : every_(every) {}

  std::optional<DecisionPoint> NextPoint(Samples ahead) const;
  void Take(Samples samples);
  // Moves past the point that has been reached. Between points, it starts to count from the current
  // sample.
  void Restart() { seen_ = 0; }

  // The number of samples since the last point.
  int64_t seen() const { return seen_; }
  // Returns how far the next point is, as a sentence for people.
  std::string Standing() const;

  // For sealed_state.h.
  void Fields(auto&& field) {
    field("seen", seen_);
    field("end", end_);
  }
  absl::Status Check() const;

 private:
  int64_t every_;
  int64_t seen_ = 0;
  std::optional<Cut> end_;  // The end of the samples taken.
};

// Divides time into periods of equal length. The first sample of the stream sets where they begin.
class EqualPeriods {
 public:
  explicit EqualPeriods(Duration every) : every_(every.micros) {}

  Period First(Timestamp time) const { return {time, {time.micros + every_}}; }
  // Returns the period that holds `time`, which is after the period `before`.
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

// Decides at the end of each period that holds samples. The end of a period is known once a sample
// of a later period arrives, or the clock has passed the end.
class PeriodGrid {
 public:
  using Periods = std::variant<EqualPeriods, CalendarPeriods>;
  explicit PeriodGrid(Periods periods) : periods_(std::move(periods)) {}

  std::optional<DecisionPoint> NextPoint(Samples ahead, Timestamp clock) const;
  void Take(Samples samples);
  // Moves past the end of the current period, or of a later empty one.
  void PassTo(Timestamp end);
  // Begins the first period at `time` unless a sample has already arrived.
  void StartAt(Timestamp time);

  // The current period; absent before the first sample.
  const std::optional<Period>& period() const { return period_; }
  // The number of samples in the current period.
  int64_t seen() const { return seen_; }
  // Returns how far the next point is, as a sentence for people.
  std::string Standing() const;

  nlohmann::json Seal() const;
  absl::Status Restore(const nlohmann::json& sealed);

 private:
  Period First(Timestamp time) const;
  Period After(const Period& before, Timestamp time) const;
  // Returns the current period if the next sample has this time. An empty period is skipped.
  Period PeriodFor(int64_t time) const;

  Periods periods_;
  std::optional<Period> period_;
  int64_t seen_ = 0;
};

}  // namespace tidemill::supervisor
