// Holds in memory which samples all datasets have. The read path uses only this index. PostgreSQL
// is read only after a commit. A restart reads segments, never single samples.
//   ingest --commit--> PostgreSQL --Refresh()--> version 7 --> readers that began before
//                      (segments,                version 8 --> readers that begin now
//                       tombstones)                  |
//                                                    +-- maps the files of new segments only
//
// A version never changes, so a reader needs no lock and sees one snapshot from beginning to end.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "db/database.h"
#include "storage/catalog/dataset_catalog.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/index/dataset_index.h"

namespace tidemill::storage {

// Thread-safe. Readers hold a version of a dataset's index for as long as they need it. A refresh
// makes another version and maps new segments only.
class SampleIndex {
 public:
  // All must outlive this object.
  SampleIndex(db::Database& database, DatasetCatalog& catalog, UnpackedCache& files)
      : database_(database), catalog_(catalog), files_(files) {}

  // Returns the version in memory, and loads it when there is none. NOT_FOUND when the dataset is
  // unknown. DATA_LOSS when both a segment's column file and its data are lost.
  absl::StatusOr<std::shared_ptr<const DatasetIndex>> Get(DatasetId dataset)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the version in memory, or nullptr. Never waits for the database.
  std::shared_ptr<const DatasetIndex> Loaded(DatasetId dataset) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the version that holds everything committed by now. It is the version in memory if
  // nothing has changed. Column files that were found to be damaged are rebuilt.
  absl::StatusOr<std::shared_ptr<const DatasetIndex>> Refresh(DatasetId dataset)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Does the same, and compares all columns with their sums before it returns, for callers that
  // read all columns.
  absl::StatusOr<std::shared_ptr<const DatasetIndex>> RefreshWhole(DatasetId dataset)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Refreshes every dataset in memory. Returns the first failure, after all were tried.
  absl::Status RefreshAll() ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns a version that covers a snapshot. FAILED_PRECONDITION when the snapshot does not exist
  // yet.
  absl::StatusOr<std::shared_ptr<const DatasetIndex>> GetAtLeast(const DatasetSnapshot& snapshot);

  // Compares a column file, as stored on disk now, with its sums, and rebuilds it when it is
  // damaged. DATA_LOSS when it cannot be rebuilt.
  absl::Status CheckColumns(const DatasetIndex& index, const IndexedSegment& segment)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the number of a dataset's column files that were rebuilt since this object was created.
  int64_t NumMadeAgain(DatasetId dataset) ABSL_LOCKS_EXCLUDED(mutex_);

  // Drops the index of a dataset that was deleted.
  void Forget(DatasetId dataset) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The index of one dataset. One thread at a time refreshes it.
  struct Slot {
    Mutex refreshing;
    Mutex mutex;
    std::shared_ptr<const DatasetIndex> current ABSL_GUARDED_BY(mutex);
  };
  std::shared_ptr<Slot> SlotOf(DatasetId dataset) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns `before` itself when nothing has changed.
  absl::StatusOr<std::shared_ptr<const DatasetIndex>> Load(
      DatasetId dataset, const std::shared_ptr<const DatasetIndex>& before);
  // Counts a file to which sums were added.
  absl::StatusOr<std::shared_ptr<const SegmentColumns>> OpenColumns(const DatasetEntry& entry,
                                                                    int64_t segment_id,
                                                                    int64_t& num_upgraded)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::shared_ptr<const SegmentColumns>> MakeColumnsAgain(const DatasetEntry& entry,
                                                                         int64_t segment_id,
                                                                         const std::string& why)
      ABSL_LOCKS_EXCLUDED(mutex_);

  db::Database& database_;
  DatasetCatalog& catalog_;
  UnpackedCache& files_;
  Mutex mutex_;
  // Shared, so that a dataset can be dropped while it is refreshed.
  std::map<DatasetId, std::shared_ptr<Slot>> slots_ ABSL_GUARDED_BY(mutex_);
  std::map<DatasetId, int64_t> num_made_again_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage
