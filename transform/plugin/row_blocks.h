// Rows that are given to a user's op in one call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "batch/batch.h"
#include "transform/engine/frame.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform {

// Returns the inputs of an op in the frame, for all rows. Copies nothing.
absl::StatusOr<batch::Batch> InputsOf(const Frame& frame, std::span<const BoundColumn> inputs);

// Cuts rows into blocks by bytes and by rows. Thread-compatible.
class BlockSize {
 public:
  // `row_bytes`: the bytes of a row in columns of fixed width.
  BlockSize(int64_t row_bytes, int64_t most_bytes, int64_t most_rows)
      : row_bytes_(row_bytes), most_bytes_(most_bytes), most_rows_(most_rows) {}

  // Whether nothing more may be added; a block has at least one row.
  bool IsFull() const { return num_rows_ >= most_rows_ || num_bytes_ >= most_bytes_; }
  // Adds as many rows of the front as there is room for, and returns their number.
  size_t Add(const batch::Batch& inputs, std::span<const int64_t> rows);
  void Restart() { num_rows_ = num_bytes_ = 0; }
  int64_t num_rows() const { return num_rows_; }

 private:
  const int64_t row_bytes_;
  const int64_t most_bytes_;
  const int64_t most_rows_;
  int64_t num_rows_ = 0;
  int64_t num_bytes_ = 0;
};

std::vector<ColumnSchema> SchemasOf(std::span<const BoundColumn> columns);

// The bytes of a row in the columns of numbers.
int64_t FixedRowBytes(std::span<const BoundColumn> columns);

}  // namespace tidemill::transform
