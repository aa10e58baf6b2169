#include "storage/ingest/record_diff.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace tidemill::storage {

namespace {

// An old row that is still to be matched; those of one hash are chained in the order of the file.
struct OldRow {
  SegmentPlace place;
  int64_t byte_from = 0;
  int64_t next = -1;
  bool matched = false;
};

std::vector<OldRow> InFileOrder(std::span<const std::shared_ptr<const SegmentColumns>> old) {
  std::vector<OldRow> rows;
  for (size_t segment = 0; segment < old.size(); ++segment) {
    for (int64_t row = 0; row < old[segment]->num_rows(); ++row) {
      const int64_t byte_from = old[segment]->lookup[static_cast<size_t>(row)].byte_from;
      if (byte_from < 0) continue;
      rows.push_back({.place = {static_cast<int64_t>(segment), row}, .byte_from = byte_from});
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const OldRow& a, const OldRow& b) { return a.byte_from < b.byte_from; });
  return rows;
}

}  // namespace

bool IsSameRecord(const SegmentColumns& old, int64_t old_row, const SegmentRows& fresh, size_t row,
                  CompareTimes times) {
  const auto at = static_cast<size_t>(old_row);
  return old.lookup[at].byte_from >= 0 && old.lookup[at].hash == fresh.hash[row] &&
         ValueAt<int64_t>(*old.class_label, old_row) == fresh.class_label[row] &&
         ValueAt<double>(*old.real_label, old_row) == fresh.real_label[row] &&
         (times == CompareTimes::kNo || old.event_time[at] == fresh.event_time[row]);
}

std::vector<SegmentPlace> MatchRecords(std::span<const std::shared_ptr<const SegmentColumns>> old,
                                       const SegmentRows& fresh, CompareTimes times) {
  std::vector<OldRow> rows = InFileOrder(old);
  absl::flat_hash_map<int64_t, int64_t> first;  // By hash.
  first.reserve(rows.size());
  for (int64_t i = static_cast<int64_t>(rows.size()) - 1; i >= 0; --i) {
    OldRow& row = rows[static_cast<size_t>(i)];
    const SegmentColumns& columns = *old[static_cast<size_t>(row.place.segment)];
    const auto [entry, inserted] =
        first.try_emplace(columns.lookup[static_cast<size_t>(row.place.row)].hash, i);
    if (inserted) continue;
    row.next = entry->second;
    entry->second = i;
  }
  std::vector<SegmentPlace> places(static_cast<size_t>(fresh.num_rows()));
  for (size_t at = 0; at < places.size(); ++at) {
    const auto entry = first.find(fresh.hash[at]);
    if (entry == first.end()) continue;
    // Rows used up are dropped from the front of the chain, so equal records cost no walk.
    int64_t& head = entry->second;
    while (head >= 0 && rows[static_cast<size_t>(head)].matched) {
      head = rows[static_cast<size_t>(head)].next;
    }
    for (int64_t i = head; i >= 0; i = rows[static_cast<size_t>(i)].next) {
      OldRow& row = rows[static_cast<size_t>(i)];
      if (row.matched) continue;
      const SegmentColumns& columns = *old[static_cast<size_t>(row.place.segment)];
      if (!IsSameRecord(columns, row.place.row, fresh, at, times)) continue;
      row.matched = true;
      places[at] = row.place;
      break;
    }
  }
  return places;
}

}  // namespace tidemill::storage
