// Samples that were read and transformed once, kept in memory for those who want them again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "batch/batch.h"

namespace tidemill::loader {

// Rows of a training set by ordinal, as many as fit into a budget of bytes, in one buffer for each
// column that is allocated once. Which rows are kept when not all fit depends on who comes first;
// a row is the same wherever it comes from, so what is computed never does. Only for graphs that
// are not random: a row must not depend on the epoch. Thread-safe.
class DecodedSamples {
 public:
  // Places below zero.
  static constexpr int64_t kUnknown = -1;
  // The sample is known to be unreadable.
  static constexpr int64_t kHole = -2;

  // For a set of `num_samples`; `budget` in bytes.
  DecodedSamples(int64_t num_samples, int64_t budget);

  // Where the rows with these ordinals lie, or one of the above.
  std::vector<int64_t> Find(std::span<const int64_t> ordinals) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Copies rows that are not kept yet, while there is room. They have a column `ordinal`; it and
  // `weight` are not kept. All calls bring the same columns of numbers: others are passed over.
  void Keep(const batch::Batch& rows) ABSL_LOCKS_EXCLUDED(mutex_);
  // Remembers samples that could not be read, and why one of them could not.
  void KeepHoles(std::span<const int64_t> ordinals, const std::string& reason)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Why one of the holes could not be read; empty when there is none.
  std::string reason() const ABSL_LOCKS_EXCLUDED(mutex_);

  // The rows of `ordinals`, in that order, with a column `ordinal`. places[i] is where the i-th
  // lies: kept rows as Find() said, or, as -3 - r, the row r of `read`. INTERNAL when `read` has
  // other columns.
  absl::StatusOr<batch::Batch> Gather(std::span<const int64_t> ordinals,
                                      std::span<const int64_t> places,
                                      const batch::Batch& read) const ABSL_LOCKS_EXCLUDED(mutex_);
  static int64_t PlaceOfRead(int64_t row) { return -3 - row; }

 private:
  bool Allocate(const batch::Batch& rows) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Fits(const batch::Batch& rows) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  batch::Batch View() const ABSL_LOCKS_EXCLUDED(mutex_);

  const int64_t budget_;
  mutable Mutex mutex_;
  // By ordinal. A place is written after its row, so rows of places found may be read unlocked.
  std::vector<int32_t> places_ ABSL_GUARDED_BY(mutex_);
  std::vector<batch::Column> columns_ ABSL_GUARDED_BY(mutex_);  // Room for capacity_ rows.
  bool is_allocated_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t capacity_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t used_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string reason_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::loader
