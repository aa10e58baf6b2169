// The version of a dataset before the one that is being ingested.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "base/id.h"
#include "base/status.h"
#include "db/database.h"
#include "storage/catalog/files_table.h"
#include "storage/ingest/old_segments.h"

namespace tidemill::storage {

// Finds the records of a dataset whose keys a new version takes over. Nothing is ingested into it
// any more. Memory: a row for each of its files. Thread-safe. A status other than OK concerns the
// database.
class EarlierVersion {
 public:
  // `database` must outlive this object.
  static absl::StatusOr<std::unique_ptr<EarlierVersion>> Open(db::Database& database,
                                                              std::string storage_folder,
                                                              DatasetId dataset);

  // Returns nullptr when nothing was taken from a file of this path.
  const files_table::KnownFile* FileAt(const std::string& path) const;
  absl::StatusOr<std::vector<OldSegment>> SegmentsOf(const files_table::KnownFile& file) const;

  // Returns the hashes of the records whose samples were deleted on request, from this version or
  // from those before it. DATA_LOSS when the column file of one is damaged.
  absl::StatusOr<std::vector<int64_t>> DeletedHashes() const;

 private:
  EarlierVersion(db::Database& database, std::string storage_folder, DatasetId dataset)
      : database_(database),
        dataset_(dataset),
        segments_(database, std::move(storage_folder), dataset) {}

  db::Database& database_;
  const DatasetId dataset_;
  mutable OldSegments segments_;
  absl::flat_hash_map<std::string, files_table::KnownFile> files_;
};

}  // namespace tidemill::storage
