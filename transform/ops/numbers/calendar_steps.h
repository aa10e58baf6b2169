// The calendar as steps of arithmetic, for programs that run without Tidemill.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "transform/engine/portable_graph.h"

namespace tidemill::transform {

// Makes the steps for the parts of one column of times. The clock changes of a zone are constants
// of the graph, those up to the year 2200. Thread-compatible.
class CalendarSteps {
 public:
  // The offset of a clock from UTC at a time in UTC. All are in microseconds.
  using Ahead = std::function<int64_t(int64_t micros)>;

  // `micros`: int64, since 1970 in UTC. `graph` must outlive this object.
  CalendarSteps(PortableGraph& graph, StepId micros, const Ahead& ahead);

  // All but the last are int64.
  StepId Minute();
  StepId Hour();
  StepId Weekday();  // 0 to 6 from Monday.
  StepId WeekdayFrom1();
  StepId Day();        // The day of the month, from 1.
  StepId DayOfYear();  // From 1.
  StepId Month();      // From 1.
  StepId Year();
  StepId YearFraction();  // float64: 0 at New Year's midnight, growing to 1.

 private:
  // A day as the year that begins in March has it.
  struct MarchDay {
    StepId year;
    StepId day;    // From 0.
    StepId month;  // From 0.
  };

  struct ClockChanges {
    int64_t first = 0;  // What the clock is ahead before them.
    std::vector<double> times = {};
    std::vector<double> by = {};
  };
  static ClockChanges FindChanges(const Ahead& ahead);
  // The clock's offset from UTC at these times, in microseconds.
  StepId OffsetAt(StepId micros);
  const MarchDay& Date();
  // The time at which a year begins, in UTC.
  StepId BeginOf(StepId year);

  PortableGraph& graph_;
  const ClockChanges changes_;
  const StepId micros_;
  const StepId local_;
  const StepId days_;  // Since 1970.
  std::optional<MarchDay> date_;
};

}  // namespace tidemill::transform
