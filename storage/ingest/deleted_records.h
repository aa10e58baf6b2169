// The samples of a dataset that were deleted on request. An ingest leaves out their records.
#pragma once

#include <cstdint>

#include "absl/container/flat_hash_set.h"

#include "base/id.h"
#include "base/status.h"
#include "db/database.h"

namespace tidemill::storage {

// A record that equals a deleted one does not become a sample again: the sample was deleted because
// of its content. Thread-compatible. Memory: two numbers for each deleted sample.
class DeletedRecords {
 public:
  // Adds what was deleted since the previous call.
  absl::Status Refresh(db::Database& database, DatasetId dataset);

  bool empty() const { return keys_.empty() && hashes_.empty(); }
  bool HasKey(int64_t key) const { return keys_.contains(key); }
  // See RecordIdentity().
  bool HasRecord(int64_t identity) const { return identities_.contains(identity); }
  // Whether a record with this hash was deleted from an earlier version of the dataset, whatever
  // label it had there.
  bool HasHash(int64_t hash) const { return hashes_.contains(hash); }

 private:
  absl::flat_hash_set<int64_t> keys_;
  absl::flat_hash_set<int64_t> identities_;
  absl::flat_hash_set<int64_t> hashes_;
};

}  // namespace tidemill::storage
