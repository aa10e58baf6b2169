#include "storage/index/event_time_order.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "base/check.h"

namespace tidemill::storage {

namespace {

struct TimedRow {
  int64_t event_time;
  int64_t row;
  friend auto operator<=>(const TimedRow&, const TimedRow&) = default;
};

// Whether times ascend. Compares a stretch before it looks, which takes the compiler to vectors.
bool Ascend(std::span<const int64_t> times) {
  constexpr size_t kStretch = 1024;
  for (size_t from = 1; from < times.size(); from += kStretch) {
    const size_t to = std::min(from + kStretch, times.size());
    int num_falls = 0;
    for (size_t i = from; i < to; ++i) num_falls += times[i] < times[i - 1] ? 1 : 0;
    if (num_falls > 0) return false;
  }
  return true;
}

// The rows from `first_row` on, sorted by time.
std::vector<TimedRow> SortedRows(const std::vector<IndexedSegment>& segments, int64_t first_row) {
  std::vector<TimedRow> rows;
  for (const IndexedSegment& segment : segments) {
    if (segment.first_row < first_row) continue;
    int64_t row = segment.first_row;
    for (const int64_t event_time : segment.columns->event_time) {
      rows.push_back({event_time, row++});
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

int64_t EventTimeOf(const std::vector<IndexedSegment>& segments, int64_t row) {
  const IndexedSegment& segment = SegmentOfRow(segments, row);
  return segment.columns->event_time[static_cast<size_t>(row - segment.first_row)];
}

}  // namespace

const IndexedSegment& SegmentOfRow(const std::vector<IndexedSegment>& segments, int64_t row) {
  const auto behind = std::upper_bound(
      segments.begin(), segments.end(), row,
      [](int64_t value, const IndexedSegment& segment) { return value < segment.first_row; });
  TIDEMILL_CHECK(behind != segments.begin());
  return *std::prev(behind);
}

EventTimeOrder::EventTimeOrder(const std::vector<IndexedSegment>& segments)
    : last_event_time_(std::numeric_limits<int64_t>::min()) {
  Extend(segments);
}

EventTimeOrder::EventTimeOrder(const EventTimeOrder& before,
                               const std::vector<IndexedSegment>& segments)
    : num_rows_(before.num_rows_),
      is_sound_(before.is_sound_),
      last_event_time_(before.last_event_time_),
      permutation_(before.permutation_) {
  Extend(segments);
}

bool EventTimeOrder::AreInOrder(const std::vector<IndexedSegment>& segments, int64_t first_row) {
  for (const IndexedSegment& segment : segments) {
    if (segment.first_row < first_row) continue;
    const SegmentColumns& columns = *segment.columns;
    if (columns.event_time.empty()) continue;
    is_sound_ = is_sound_ && columns.TimeIsSound(0) && columns.TimeIsSound(columns.num_rows() - 1);
    if (columns.event_time.front() < last_event_time_) return false;
    if (!columns.is_in_order && !Ascend(columns.event_time)) return false;
    // Read as a whole only where the file does not say that they ascend.
    if (!columns.is_in_order) is_sound_ = is_sound_ && columns.AreSound(columns.event_time);
    last_event_time_ = columns.event_time.back();
  }
  return true;
}

void EventTimeOrder::Extend(const std::vector<IndexedSegment>& segments) {
  const int64_t num_before = num_rows_;
  if (!segments.empty()) num_rows_ = segments.back().first_row + segments.back().num_samples;
  if (num_rows_ == num_before) return;
  if (permutation_.empty() && AreInOrder(segments, num_before)) return;
  for (const IndexedSegment& segment : segments) {
    is_sound_ = is_sound_ && segment.columns->AreSound(segment.columns->event_time);
  }
  if (permutation_.empty()) {
    permutation_.resize(static_cast<size_t>(num_before));
    std::iota(permutation_.begin(), permutation_.end(), 0);
  }
  std::vector<int64_t> merged;
  merged.reserve(static_cast<size_t>(num_rows_));
  size_t old = 0;
  const auto take_old_before = [&](int64_t event_time) {
    // At equal times the older row has the smaller key and comes first.
    while (old < permutation_.size() && EventTimeOf(segments, permutation_[old]) <= event_time) {
      merged.push_back(permutation_[old++]);
    }
  };
  for (const TimedRow& added : SortedRows(segments, num_before)) {
    take_old_before(added.event_time);
    merged.push_back(added.row);
  }
  take_old_before(std::numeric_limits<int64_t>::max());
  permutation_ = std::move(merged);
}

}  // namespace tidemill::storage
