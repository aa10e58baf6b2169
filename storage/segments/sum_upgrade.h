// Gives sums to column files that were written before there were any.
#pragma once

#include <string>

#include "base/status.h"
#include "storage/segments/segment_columns.h"

namespace tidemill::storage {

// Compares what such a file holds twice, times and labels, and writes it again with sums in place
// of the old one. Times and labels are then as they were ingested, and whatever else may be damaged
// in it shows when a record does not have its hash. DATA_LOSS when two copies differ.
// RESOURCE_EXHAUSTED when the disk is full; the file is then as it was. It is not synced.
absl::Status AddSums(const std::string& path, const SegmentColumns& columns);

// Makes files durable that AddSums() wrote to a folder.
absl::Status SyncAddedSums(const std::string& folder);

}  // namespace tidemill::storage
