// A part of the stream as policies see it, and the points at which policies decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/time.h"

namespace tidemill::supervisor {

// Two columns of equal length in the order (event time, key). Times are in microseconds UTC. A
// view, so it is cheap to copy.
struct Samples {
  std::span<const int64_t> event_times;
  std::span<const int64_t> keys;

  bool empty() const { return event_times.empty(); }
  size_t size() const { return event_times.size(); }
  Samples First(size_t n) const { return {event_times.first(n), keys.first(n)}; }
  Samples From(size_t n) const { return {event_times.subspan(n), keys.subspan(n)}; }
  // Returns the cut right after the last sample. There must be at least one sample.
  Cut End() const { return {{event_times.back()}, {keys.back() + 1}}; }
};

// A position in the stream at which a policy decides.
struct DecisionPoint {
  Cut at;
  // The number of samples ahead that are before `at`.
  size_t num_before = 0;
};

// The clock when nothing is known about future samples.
inline constexpr Timestamp kNoClock{std::numeric_limits<int64_t>::min()};

}  // namespace tidemill::supervisor
