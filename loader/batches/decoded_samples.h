// Caches samples that were read and transformed, for later epochs and batches.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "batch/batch.h"

namespace tidemill::loader {

// The rows of a training set by ordinal, as many as fit into a budget of bytes. Each column has one
// buffer that is allocated once. When not all rows fit, timing decides which rows are kept. A kept
// row is the same as one that is read again, so results never depend on this. For graphs without
// randomness only, because a row must not depend on the epoch. Thread-safe.
class DecodedSamples {
 public:
  // The sample is unknown. Places below zero do not name rows.
  static constexpr int64_t kUnknown = -1;
  // The sample is known to be unreadable.
  static constexpr int64_t kHole = -2;
  // The graph filters the sample.
  static constexpr int64_t kFiltered = -3;

  // `budget` is in bytes. The set has `num_samples` samples.
  DecodedSamples(int64_t num_samples, int64_t budget);

  // Returns the places of the rows with these ordinals, or one of the values above.
  std::vector<int64_t> Find(std::span<const int64_t> ordinals) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Copies rows that are not kept yet, while there is room. They must have a column `ordinal`.
  // `ordinal` and `weight` are not kept. All calls must pass the same columns of numbers; rows with
  // other columns are ignored.
  void Keep(const batch::Batch& rows) ABSL_LOCKS_EXCLUDED(mutex_);
  // Remembers samples that could not be read, and the reason for one of them.
  void KeepHoles(std::span<const int64_t> ordinals, const std::string& reason)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Remembers samples that the graph has filtered.
  void KeepFiltered(std::span<const int64_t> ordinals) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the reason for one of the holes. Empty when there is none.
  std::string reason() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the rows of `ordinals`, in that order, with a column `ordinal`. places[i] is the place
  // of row i: a place from Find() for a kept row, or -4 - r for the row r of `read`. INTERNAL when
  // `read` has other columns.
  absl::StatusOr<batch::Batch> Gather(std::span<const int64_t> ordinals,
                                      std::span<const int64_t> places,
                                      const batch::Batch& read) const ABSL_LOCKS_EXCLUDED(mutex_);
  static int64_t PlaceOfRead(int64_t row) { return -4 - row; }
  static int64_t RowOfRead(int64_t place) { return -4 - place; }

 private:
  bool Allocate(const batch::Batch& rows) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Fits(const batch::Batch& rows) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  batch::Batch View() const ABSL_LOCKS_EXCLUDED(mutex_);

  const int64_t budget_;
  mutable Mutex mutex_;
  // The places by ordinal. A place is written after its row, so that rows at known places may be
  // read without the lock.
  std::vector<int32_t> places_ ABSL_GUARDED_BY(mutex_);
  // They have room for capacity_ rows.
  std::vector<batch::Column> columns_ ABSL_GUARDED_BY(mutex_);
  bool is_allocated_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t capacity_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t used_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string reason_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::loader
