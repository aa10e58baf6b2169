// Rows of numbers by sample, for windows that overlap from one decision to the next.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "base/status.h"
#include "batch/batch.h"
#include "supervisor/triggers/evidence.h"

namespace tidemill::supervisor {

// Remembers samples that have no row, too. Within its budget of bytes it forgets nothing; a caller
// that is about to exceed it starts anew. Thread-compatible.
class RowCache {
 public:
  explicit RowCache(int64_t max_bytes = int64_t{64} << 20) : max_bytes_(max_bytes) {}

  // Those of `keys` about which nothing is known, each once, in their order.
  std::vector<int64_t> Unknown(std::span<const int64_t> keys) const;

  // Whether so many more rows, of the width that rows have had so far, fit.
  bool HasRoomFor(size_t num_rows) const;
  void Clear();

  // Takes rows of samples: a batch with the column `key` and `values`, a column of float32 or
  // float64. Rows with a number that is not finite are passed over. INTERNAL for another width than
  // before.
  absl::Status Add(const batch::Batch& rows, std::string_view values);
  // Everything about these has come: those that have no row have none.
  void Settle(std::span<const int64_t> keys);

  // The rows of keys that are all known.
  EvidenceTable Table(std::span<const int64_t> keys) const;

 private:
  static constexpr int64_t kNoRow = -1;

  const int64_t max_bytes_;
  int64_t width_ = 1;
  absl::flat_hash_map<int64_t, int64_t> row_of_;  // kNoRow where there is none.
  std::vector<double> values_;
};

}  // namespace tidemill::supervisor
