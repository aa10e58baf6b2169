// A column of rows of numbers with different lengths, without padding.
//
// Such a column is kBinary: the bytes of a row are its numbers. Its `shape` describes them: first
// the number of their batch::DataType, then the shape of one place of a row: {} for token ids,
// {features} for a series. The column can be sent, sliced and concatenated like any other.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"

namespace tidemill::loader {

// The layout of a ragged column's bytes.
struct RaggedItems {
  batch::DataType type = batch::DataType::kInt64;
  std::vector<int64_t> shape = {};
  // The bytes of one place of a row.
  int64_t bytes = 1;
};

// INVALID_ARGUMENT when the column is not ragged.
absl::StatusOr<RaggedItems> ItemsOf(const batch::Column& column);

// Cuts each row after the last place, along its first dimension, that has a number other than
// `padding`. INVALID_ARGUMENT unless the rows are float32 or int64 with at least one dimension.
absl::StatusOr<batch::Column> ToRagged(const batch::Column& padded, int64_t num_rows,
                                       double padding);

// Pads each row with `padding` to `width` places. No row may be longer. The errors are as in
// ItemsOf().
absl::StatusOr<batch::Column> ToPadded(const batch::Column& ragged, int64_t width, double padding);

// Returns the length of each row, in places. The errors are as in ItemsOf().
absl::StatusOr<std::vector<int64_t>> LengthsOf(const batch::Column& ragged);

}  // namespace tidemill::loader
