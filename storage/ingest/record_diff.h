// Finds the records of a replaced file that were in it before.
//   before   a:1  b:2  c:3  b:4        record:key
//   now      b    x    a    b
//   keys     2    new  1    4          c:3 is deleted
//
// Records are compared by their hashes and labels; order does not matter. When one line is added in
// the middle of a file, the file has one new sample, not all new samples.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "storage/segments/segment_columns.h"

namespace tidemill::storage {

// A row of one of several segments.
struct SegmentPlace {
  int64_t segment = -1;  // -1 when there is none.
  int64_t row = -1;
};

// Whether the event times of two rows must be equal, too. A kept record keeps its time, unless
// another spec gives it another.
enum class CompareTimes { kNo, kYes };

// Returns, for each row of `fresh`, the old row with the same hash and labels. Among equal records,
// the k-th matches the k-th of the old file, so that each old row is matched at most once. Rows
// that had vanished from the file before are never matched.
std::vector<SegmentPlace> MatchRecords(std::span<const std::shared_ptr<const SegmentColumns>> old,
                                       const SegmentRows& fresh, CompareTimes times);

// Whether an old row that is still in its file has the hash, the labels and, with kYes, the time
// of a row.
bool IsSameRecord(const SegmentColumns& old, int64_t old_row, const SegmentRows& fresh, size_t row,
                  CompareTimes times);

}  // namespace tidemill::storage
