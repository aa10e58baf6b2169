// Rebuilds the column file of a segment when it was lost.
#pragma once

#include <cstdint>
#include <string>

#include "base/id.h"
#include "base/status.h"
#include "db/database.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::storage {

// Writes the file that storage/segments/segment_columns.h describes, from storage.samples and the
// data. NOT_FOUND when the segment is unknown. DATA_LOSS when the data has changed since it was
// ingested; the next sync then makes new segments.
absl::Status RebuildSegmentColumns(db::Database& database, UnpackedCache& files,
                                   const std::string& storage_folder, const DatasetSpec& spec,
                                   DatasetId dataset, int64_t segment_id);

}  // namespace tidemill::storage
