// The clock of a stream: the greatest event time that counts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace tidemill::supervisor {

// A few rows with event times in the future must not advance the clock past all other rows, which
// would then be late. So the clock crosses a wide gap between event times only when enough rows are
// beyond it.
//
// A gap is wide when it is longer than `ahead`, and longer than ten times the mean distance between
// the rows before it. (Before the first two rows there is no such distance; then the mean distance
// between the rows after the gap is used.) A wide gap is crossed when at least five rows are beyond
// it and, since the first of them, more rows have arrived beyond it than before it. A gap that
// begins before the current time and ends more than `ahead` after it is not crossed. In a stream of
// up to three rows, only such a gap is wide.
//
// The result depends only on the current rows and the current time, so that it is the same after a
// crash. Memory grows with the number of gaps longer than `ahead`. Thread-compatible.
class EventClock {
 public:
  explicit EventClock(Duration ahead) : ahead_(ahead.micros) {}

  // Forgets all rows.
  void Reset() { groups_.clear(); }
  void Add(int64_t event_time, int64_t key);

  // Returns how many rows before an event time have a key after `after`. May stop counting at
  // `enough`.
  using CountBefore =
      std::function<absl::StatusOr<int64_t>(int64_t event_time, int64_t after, int64_t enough)>;

  struct Reached {
    // The greatest event time that counts. Absent when none does.
    std::optional<int64_t> time;
    // The rows ahead of it, which wait, and the first of their event times.
    int64_t num_ahead = 0;
    int64_t first_ahead = 0;

    friend bool operator==(const Reached&, const Reached&) = default;
  };
  // Returns the errors of `count`.
  absl::StatusOr<Reached> Reach(Timestamp now, const CountBefore& count) const;

 private:
  // Rows that follow one another by no more than `ahead`, without their first event time.
  struct Group {
    int64_t last = 0;
    int64_t num_rows = 0;
    int64_t least_key = 0;
    int64_t greatest_key = 0;
  };
  // The rows on one side of a gap.
  struct Side {
    int64_t first = 0;
    int64_t last = 0;
    int64_t num_rows = 0;
    int64_t least_key = 0;
    int64_t greatest_key = 0;

    // The mean distance between rows; 0 when it is not known.
    int64_t Spacing() const;
    void Add(int64_t group_first, const Group& group);
  };
  // The greatest event time that is not in the future.
  int64_t Present(Timestamp now) const;
  absl::StatusOr<bool> Crosses(const Side& before, const Side& behind, Timestamp now,
                               const CountBefore& count) const;
  std::vector<Side> SidesBehind() const;
  void MergeWithNext(std::map<int64_t, Group>::iterator group);

  const int64_t ahead_;
  std::map<int64_t, Group> groups_;  // By their first event time.
};

}  // namespace tidemill::supervisor
