// How far the event times of a stream have come.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace tidemill::supervisor {

// A few rows ahead of their time must not carry the clock away from all others: what then comes in
// order would be late. So the clock crosses a wide gap between event times only when enough rows
// lie beyond it.
//
// A gap is wide when it is longer than `ahead`, and than ten times the mean distance of the rows
// before it. (Of the first two rows of a stream nothing is known; then it is the mean distance of
// the rows behind it.) A wide gap is crossed when at least five rows lie beyond it, and more than
// came before it since the first of them. A gap that begins before the present moment and ends more
// than `ahead` after it is not crossed. A stream of up to three rows has no wide gaps but that one.
//
// The answer depends only on which rows are there and on the present moment, so that it is the same
// after a crash. The memory is that of the gaps longer than `ahead`. Thread-compatible.
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
  // The codes are those of `count`.
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
  // The greatest event time that is not of the future.
  int64_t Present(Timestamp now) const;
  absl::StatusOr<bool> Crosses(const Side& before, const Side& behind, Timestamp now,
                               const CountBefore& count) const;
  std::vector<Side> SidesBehind() const;
  void MergeWithNext(std::map<int64_t, Group>::iterator group);

  const int64_t ahead_;
  std::map<int64_t, Group> groups_;  // By their first event time.
};

}  // namespace tidemill::supervisor
