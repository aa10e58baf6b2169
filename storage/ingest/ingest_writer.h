// One ingest transaction.
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

// Gives the segments of a batch their ids and writes their column files, durably. What dies
// afterwards leaves files that no segment names; see RemoveOrphans.
absl::Status WriteColumnFiles(db::Database& database, const std::string& storage_folder,
                              DatasetId dataset, IngestBatch& batch);

// A connection for CommitBatch, with a transaction begun.
absl::StatusOr<std::unique_ptr<db::CopyWriter>> BeginIngest(const db::Database& database);

// Writes all rows of a batch whose column files are there in the transaction begun, moves the
// watermark and commits. Then removes the column files that were replaced. When it fails, or the
// process dies, before the commit, nothing of the batch is in the database. `copied` is called
// whenever some ten thousand more samples have been sent.
absl::Status CommitBatch(db::CopyWriter& copy, const std::string& storage_folder, DatasetId dataset,
                         const IngestBatch& batch, const std::function<void()>& copied);

// Removes column files that no segment of the dataset names. No ingest of it may be running.
absl::Status RemoveOrphans(db::Database& database, const std::string& storage_folder,
                           DatasetId dataset);

}  // namespace tidemill::storage
