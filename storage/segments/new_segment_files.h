// Writes the column files of a batch's new segments.
#pragma once

#include <span>
#include <string>

#include "base/id.h"
#include "base/status.h"
#include "storage/segments/segment_rows.h"

namespace tidemill::storage {

struct NewSegmentFile {
  int64_t segment_id = 0;
  const SegmentRows* rows = nullptr;
};

// Writes them under their own names, since nothing names them yet, and makes them durable together:
// a sync a file would be what a directory of many small files takes its time for.
// RESOURCE_EXHAUSTED when the disk is full.
absl::Status WriteNewSegmentFiles(const std::string& storage_folder, DatasetId dataset,
                                  std::span<const NewSegmentFile> files);

}  // namespace tidemill::storage
