// Keys whose rows must leave an object store, whoever writes there meanwhile.
//
//   wiper                                   writer
//   1. put forgotten/<n> with the keys      1. put a block
//   2. list the blocks, clean them          2. list forgotten/, clean the block
//
// Whatever order these happen in, one of the two sees what the other has put. So rows that were in
// the memory of some host when their key was deleted do not stay: their writer removes them as soon
// as they are written, and whoever reads the block does it if the writer has died.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/container/flat_hash_set.h"

#include "base/mutex.h"
#include "base/status.h"
#include "prepared/row_block.h"
#include "storage/prepared_objects/row_objects.h"

namespace tidemill::storage {

// Thread-safe.
class ForgottenKeys {
 public:
  // `objects` must outlive it.
  explicit ForgottenKeys(RowObjects& objects) : objects_(objects) {}

  // Puts keys there, for a day: writers keep rows in memory for some seconds only.
  absl::Status Add(std::span<const int64_t> keys) ABSL_LOCKS_EXCLUDED(mutex_);

  // Reads what others have put since the last call, and removes what is older than a day.
  absl::Status Refresh() ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether one of the rows is of a forgotten key.
  bool HasAny(std::span<const prepared::RowEntry> entries) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Overwrites all rows of forgotten keys in a block: by an object of the same name and size, or by
  // none when no row remains. A block that is damaged is removed, as nothing says what is in it.
  // Returns the number of rows that it wiped.
  absl::StatusOr<int64_t> Clean(const std::string& name, int64_t block_bytes)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Wipes in a whole block. Returns the number of rows, and how many are left.
  struct Wiped {
    int64_t now = 0;
    int64_t left = 0;
  };
  Wiped WipeIn(std::string& block, std::span<const prepared::RowEntry> entries) const
      ABSL_LOCKS_EXCLUDED(mutex_);

  RowObjects& objects_;
  mutable Mutex mutex_;
  absl::flat_hash_set<std::string> read_ ABSL_GUARDED_BY(mutex_);  // Names.
  absl::flat_hash_set<int64_t> keys_ ABSL_GUARDED_BY(mutex_);
};

// Wipes the rows of these keys in all blocks of a store, and returns how many there were. Returns
// an error when that is not certain.
absl::StatusOr<int64_t> WipeKeysIn(RowObjects& objects, ForgottenKeys& forgotten,
                                   std::span<const int64_t> keys);

}  // namespace tidemill::storage
