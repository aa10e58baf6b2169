// Which samples there are, of all datasets, in memory. The read path asks nothing else: PostgreSQL
// is read when something was committed, and a restart reads segments, never single samples.
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

// Thread-safe. Readers hold a version of a dataset's index for as long as they need it; a refresh
// makes another one and maps new segments only.
class SampleIndex {
 public:
  // All must outlive it.
  SampleIndex(db::Database& database, DatasetCatalog& catalog, UnpackedCache& files)
      : database_(database), catalog_(catalog), files_(files) {}

  // The version in memory, loaded when there is none. NOT_FOUND for an unknown dataset; DATA_LOSS
  // when a segment's column file is lost and its data too.
  absl::StatusOr<std::shared_ptr<const DatasetIndex>> Get(DatasetId dataset)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The version in memory; nullptr when there is none. Never waits for the database.
  std::shared_ptr<const DatasetIndex> Loaded(DatasetId dataset) ABSL_LOCKS_EXCLUDED(mutex_);

  // The version that holds all that is committed by now: the one in memory if nothing has changed.
  absl::StatusOr<std::shared_ptr<const DatasetIndex>> Refresh(DatasetId dataset)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Brings every dataset in memory up to date. The first failure, after all were tried.
  absl::Status RefreshAll() ABSL_LOCKS_EXCLUDED(mutex_);

  // A version that covers a snapshot. FAILED_PRECONDITION when there is no such snapshot yet.
  absl::StatusOr<std::shared_ptr<const DatasetIndex>> GetAtLeast(const DatasetSnapshot& snapshot);

  // Drops what is in memory of a dataset that was deleted.
  void Forget(DatasetId dataset) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // One dataset's; refreshed by one thread at a time.
  struct Slot {
    Mutex refreshing;
    Mutex mutex;
    std::shared_ptr<const DatasetIndex> current ABSL_GUARDED_BY(mutex);
  };
  std::shared_ptr<Slot> SlotOf(DatasetId dataset) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns `before` itself when nothing has changed.
  absl::StatusOr<std::shared_ptr<const DatasetIndex>> Load(
      DatasetId dataset, const std::shared_ptr<const DatasetIndex>& before);
  absl::StatusOr<std::shared_ptr<const SegmentColumns>> OpenColumns(const DatasetEntry& entry,
                                                                    int64_t segment_id);

  db::Database& database_;
  DatasetCatalog& catalog_;
  UnpackedCache& files_;
  Mutex mutex_;
  // Shared so that a dataset can be forgotten while it is refreshed.
  std::map<DatasetId, std::shared_ptr<Slot>> slots_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage
