// Keeps rows of numbers by sample, because the windows of successive decisions overlap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "base/status.h"
#include "batch/batch.h"
#include "supervisor/triggers/evidence.h"

namespace tidemill::supervisor {

// A number that is not finite counts as missing, NaN. Also remembers samples that have no row.
// Within its budget of bytes it forgets nothing. A caller that would exceed the budget starts with
// a new one. Thread-compatible.
class RowCache {
 public:
  explicit RowCache(int64_t max_bytes = int64_t{64} << 20) : max_bytes_(max_bytes) {}

  // Returns the keys that are not in the cache, each once, in their order.
  std::vector<int64_t> Unknown(std::span<const int64_t> keys) const;

  // Whether `num_rows` more rows fit, with the current width of rows.
  bool HasRoomFor(size_t num_rows) const;
  void Clear();
  // The bytes of all rows, counted as for the budget.
  int64_t num_bytes() const { return static_cast<int64_t>(row_of_.size()) * RowBytes(); }

  // Adds rows of samples: a batch with the column `key` and the column `values`, float32 or
  // float64. Rows without a number are skipped. INTERNAL when the width differs from before.
  absl::Status Add(const batch::Batch& rows, std::string_view values);
  // Records that these keys are complete: keys without a row have none.
  void Settle(std::span<const int64_t> keys);

  // Returns the rows of keys, all of which must be known. Unless they may lack numbers, only rows
  // that lack none.
  EvidenceTable Table(std::span<const int64_t> keys, bool may_lack = false) const;
  // Returns the rows of keys that are known here and in `other`, each with the row of the other
  // after its own. Only samples with both rows, none of which lacks a number.
  EvidenceTable TableBeside(const RowCache& other, std::span<const int64_t> keys) const;

 private:
  // Returns the row of a known key. Empty for a sample without one, or with one that lacks a
  // number.
  std::span<const double> RowOf(int64_t key) const;

  static constexpr int64_t kNoRow = -1;

  int64_t RowBytes() const;

  const int64_t max_bytes_;
  int64_t width_ = 1;
  absl::flat_hash_map<int64_t, int64_t> row_of_;  // kNoRow for a key without one.
  std::vector<double> values_;
  bool lacks_some_ = false;  // Whether some row lacks a number.
};

}  // namespace tidemill::supervisor
