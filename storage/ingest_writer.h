// One ingest transaction.
#pragma once

#include <string>

#include "base/id.h"
#include "base/status.h"
#include "db/database.h"
#include "storage/ingest_batch.h"

namespace tidemill::storage {

// Writes the column files of a batch's segments, then all its rows in one transaction, and moves
// the watermark. Gives the segments their ids. When it fails, or the process dies, nothing of the
// batch is there but column files that no segment names; see RemoveOrphans.
absl::Status WriteBatch(db::Database& database, const std::string& storage_folder,
                        DatasetId dataset, IngestBatch& batch);

// Removes column files that no segment of the dataset names. No ingest of it may be running.
absl::Status RemoveOrphans(db::Database& database, const std::string& storage_folder,
                           DatasetId dataset);

}  // namespace tidemill::storage
