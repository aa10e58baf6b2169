// Adds sums to column files of versions that wrote none.
#pragma once

#include <string>

#include "base/status.h"
#include "storage/segments/segment_columns.h"

namespace tidemill::storage {

// Compares the two copies of times and labels in such a file, and replaces the file by one with
// sums. Times and labels are then as they were ingested; other damage shows later, when a record
// does not match its hash. DATA_LOSS when two copies differ. RESOURCE_EXHAUSTED when the disk is
// full; the file is then as it was. It is not synced.
absl::Status AddSums(const std::string& path, const SegmentColumns& columns);

// Makes the files durable that AddSums() wrote to a folder.
absl::Status SyncAddedSums(const std::string& folder);

}  // namespace tidemill::storage
