#include "storage/ingest/deleted_records.h"

#include <vector>

#include "storage/catalog/datasets_table.h"

namespace tidemill::storage {

absl::Status DeletedRecords::Refresh(db::Database& database, DatasetId dataset) {
  std::vector<SampleToDelete> deleted;
  const auto num_known = static_cast<int64_t>(keys_.size());
  RETURN_IF_ERROR(database.Transact([&](pqxx::work& work) {
    deleted = datasets_table::DeletedOnRequest(work, dataset, num_known);
    for (const int64_t hash : datasets_table::DeletedRecordHashes(work, dataset)) {
      hashes_.insert(hash);
    }
    return absl::OkStatus();
  }));
  for (const SampleToDelete& sample : deleted) {
    keys_.insert(sample.key);
    if (sample.record_identity) identities_.insert(*sample.record_identity);
  }
  return absl::OkStatus();
}

}  // namespace tidemill::storage
