// Rows of numbers of different lengths as one column, without padding.
//
// Such a column is kBinary: a row's bytes are its numbers. Its `shape` says how to read them: the
// number of their batch::DataType, then the shape of what stands at one place of a row, {} for
// token ids, {features} for a series. So it travels, and is sliced and put together, as any other.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"

namespace tidemill::loader {

// How the bytes of a ragged column are read.
struct RaggedItems {
  batch::DataType type = batch::DataType::kInt64;
  std::vector<int64_t> shape = {};
  // Of one place of a row.
  int64_t bytes = 1;
};

// INVALID_ARGUMENT for a column that is not ragged.
absl::StatusOr<RaggedItems> ItemsOf(const batch::Column& column);

// The rows up to the last place along their first dimension where a number is not `padding`.
// INVALID_ARGUMENT unless they are float32 or int64 of at least one dimension.
absl::StatusOr<batch::Column> ToRagged(const batch::Column& padded, int64_t num_rows,
                                       double padding);

// Rows of `width` places each, ending in `padding`. No row is longer. Fails as ItemsOf() does.
absl::StatusOr<batch::Column> ToPadded(const batch::Column& ragged, int64_t width, double padding);

// The length of each row, in places. Fails as ItemsOf() does.
absl::StatusOr<std::vector<int64_t>> LengthsOf(const batch::Column& ragged);

}  // namespace tidemill::loader
