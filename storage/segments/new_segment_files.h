// Writes the column files of a batch's new segments.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/id.h"
#include "base/status.h"
#include "storage/segments/segment_rows.h"

namespace tidemill::storage {

struct NewSegmentFile {
  int64_t segment_id = 0;
  const SegmentRows* rows = nullptr;
};

// Writes the files under their final names, because no segment names them yet, and makes them
// durable together. A sync per file would take most of the time for a dataset of many small files.
// RESOURCE_EXHAUSTED when the disk is full.
absl::Status WriteNewSegmentFiles(const std::string& storage_folder, DatasetId dataset,
                                  std::span<const NewSegmentFile> files);

// Writes one file under this name, and replaces a file with that name. RESOURCE_EXHAUSTED when the
// disk is full.
absl::Status WriteSegmentFile(const std::string& path, std::string_view bytes, bool sync);

}  // namespace tidemill::storage
