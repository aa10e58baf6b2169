#include "supervisor/conductor/event_clock.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace tidemill::supervisor {
namespace {

constexpr int64_t kFewRows = 3;       // Nothing is known about how they follow one another.
constexpr int64_t kEnoughBeyond = 5;  // Rows that cross a wide gap.
constexpr int64_t kUsualSpacings = 10;

// Whether `later - earlier` is more than `most`. Event times may be as far apart as they can.
bool IsApart(int64_t earlier, int64_t later, int64_t most) {
  return static_cast<uint64_t>(later) - static_cast<uint64_t>(earlier) >
         static_cast<uint64_t>(most);
}

int64_t Distance(int64_t earlier, int64_t later) {
  constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return static_cast<int64_t>(
      std::min(kMax, static_cast<uint64_t>(later) - static_cast<uint64_t>(earlier)));
}

}  // namespace

void EventClock::Add(int64_t event_time, int64_t key) {
  auto next = groups_.upper_bound(event_time);
  if (next != groups_.begin()) {
    const auto group = std::prev(next);
    if (event_time <= group->second.last || !IsApart(group->second.last, event_time, ahead_)) {
      Group& rows = group->second;
      rows.last = std::max(rows.last, event_time);
      ++rows.num_rows;
      rows.least_key = std::min(rows.least_key, key);
      rows.greatest_key = std::max(rows.greatest_key, key);
      return MergeWithNext(group);
    }
  }
  const auto group = groups_.emplace_hint(
      next, event_time,
      Group{.last = event_time, .num_rows = 1, .least_key = key, .greatest_key = key});
  MergeWithNext(group);
}

void EventClock::MergeWithNext(std::map<int64_t, Group>::iterator group) {
  const auto next = std::next(group);
  if (next == groups_.end() || IsApart(group->second.last, next->first, ahead_)) return;
  Group& rows = group->second;
  rows.last = next->second.last;
  rows.num_rows += next->second.num_rows;
  rows.least_key = std::min(rows.least_key, next->second.least_key);
  rows.greatest_key = std::max(rows.greatest_key, next->second.greatest_key);
  groups_.erase(next);
}

int64_t EventClock::Side::Spacing() const {
  return num_rows < 2 ? 0 : Distance(first, last) / (num_rows - 1);
}

void EventClock::Side::Add(int64_t group_first, const Group& group) {
  const bool is_first = num_rows == 0;
  first = is_first ? group_first : std::min(first, group_first);
  last = is_first ? group.last : std::max(last, group.last);
  least_key = is_first ? group.least_key : std::min(least_key, group.least_key);
  greatest_key = is_first ? group.greatest_key : std::max(greatest_key, group.greatest_key);
  num_rows += group.num_rows;
}

int64_t EventClock::Present(Timestamp now) const {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  return now.micros > 0 && ahead_ > kMax - now.micros ? kMax : now.micros + ahead_;
}

// The rows at and after each group.
std::vector<EventClock::Side> EventClock::SidesBehind() const {
  std::vector<Side> behind(groups_.size());
  Side side;
  auto place = behind.rbegin();
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group, ++place) {
    side.Add(group->first, group->second);
    *place = side;
  }
  return behind;
}

absl::StatusOr<bool> EventClock::Crosses(const Side& before, const Side& behind, Timestamp now,
                                         const CountBefore& count) const {
  const bool is_known = before.num_rows >= kFewRows;
  const int64_t usual = (is_known ? before : behind).Spacing();
  const int64_t most = usual > std::numeric_limits<int64_t>::max() / kUsualSpacings
                           ? std::numeric_limits<int64_t>::max()
                           : usual * kUsualSpacings;
  const int64_t present = Present(now);
  const bool out_of_present = before.last <= present && behind.first > present;
  if (is_known && !IsApart(before.last, behind.first, most)) return true;
  if (out_of_present) return false;
  if (before.num_rows + behind.num_rows <= kFewRows) return true;
  if (!is_known && !IsApart(before.last, behind.first, most)) return true;
  if (behind.num_rows < kEnoughBeyond) return false;
  if (behind.least_key > before.greatest_key) return true;
  ASSIGN_OR_RETURN(const int64_t since, count(behind.first, behind.least_key, behind.num_rows));
  return since < behind.num_rows;
}

absl::StatusOr<EventClock::Reached> EventClock::Reach(Timestamp now,
                                                      const CountBefore& count) const {
  Reached reached;
  if (groups_.empty()) return reached;
  const std::vector<Side> behind = SidesBehind();
  // The first rows of a stream that is not one of the future.
  if (behind.front().num_rows <= kFewRows && behind.front().first > Present(now)) {
    reached.num_ahead = behind.front().num_rows;
    reached.first_ahead = behind.front().first;
    return reached;
  }
  Side before;
  size_t place = 0;
  for (const auto& [first, group] : groups_) {
    if (place > 0) {
      ASSIGN_OR_RETURN(const bool crosses, Crosses(before, behind[place], now, count));
      if (!crosses) {
        reached.num_ahead = behind[place].num_rows;
        reached.first_ahead = behind[place].first;
        break;
      }
    }
    before.Add(first, group);
    ++place;
  }
  reached.time = before.last;
  return reached;
}

}  // namespace tidemill::supervisor
