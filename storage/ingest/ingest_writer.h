// Writes one ingest transaction.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/id.h"
#include "base/status.h"
#include "db/copy.h"
#include "db/database.h"
#include "storage/ingest/ingest_batch.h"

namespace tidemill::storage {

// Gives the segments of a batch their ids and writes their column files durably. A process that
// dies afterwards leaves files that no segment names; see RemoveOrphans().
absl::Status WriteColumnFiles(db::Database& database, const std::string& storage_folder,
                              DatasetId dataset, IngestBatch& batch);

// Returns a connection for CommitBatch(), with an open transaction.
absl::StatusOr<std::unique_ptr<db::CopyWriter>> BeginIngest(const db::Database& database);

// Writes all rows of a batch in the open transaction, moves the watermark and commits. The column
// files must exist. Afterwards removes the column files that were replaced. When it fails or the
// process dies before the commit, nothing of the batch is in the database. `copied` is called after
// about every ten thousand samples.
absl::Status CommitBatch(db::CopyWriter& copy, const std::string& storage_folder, DatasetId dataset,
                         const IngestBatch& batch, const std::function<void()>& copied);

// Removes the column files that no segment of the dataset names. No ingest of the dataset may be
// running.
absl::Status RemoveOrphans(db::Database& database, const std::string& storage_folder,
                           DatasetId dataset);

}  // namespace tidemill::storage
