// The samples of a dataset that were deleted on request, for an ingest to leave their records out.
#pragma once

#include <cstdint>

#include "absl/container/flat_hash_set.h"

#include "base/id.h"
#include "base/status.h"
#include "db/database.h"

namespace tidemill::storage {

// A record that equals a deleted one does not become a sample again: it was deleted because of what
// it says. Thread-compatible. Memory: two numbers for each deleted sample.
class DeletedRecords {
 public:
  // Adds what was deleted since the previous call.
  absl::Status Refresh(db::Database& database, DatasetId dataset);

  bool empty() const { return keys_.empty(); }
  bool HasKey(int64_t key) const { return keys_.contains(key); }
  // See RecordIdentity().
  bool HasRecord(int64_t identity) const { return identities_.contains(identity); }

 private:
  absl::flat_hash_set<int64_t> keys_;
  absl::flat_hash_set<int64_t> identities_;
};

}  // namespace tidemill::storage
