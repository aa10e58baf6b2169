// Finds the records of a replaced file that were there before.
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

// Returns, for each row of `fresh`, the old row with the same hash and labels. The k-th of equal
// records matches the k-th of them in the old file, so that each old row is matched at most once.
// Rows that had vanished from the file before are never matched.
std::vector<SegmentPlace> MatchRecords(std::span<const std::shared_ptr<const SegmentColumns>> old,
                                       const SegmentRows& fresh);

}  // namespace tidemill::storage
