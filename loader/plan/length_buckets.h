// Rows sorted by length and cut into batches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "batch/batch.h"
#include "models/training/buckets_spec.h"

namespace tidemill::loader {

// The rows with `buckets.column` made ragged: see ragged_column.h. NOT_FOUND without the column;
// fails as ToRagged() does.
absl::Status MakeRagged(const models::Buckets& buckets, batch::Batch& rows);

// The width of a batch whose longest row has `longest` places: the least boundary that holds it, at
// least 1, at most `most`.
int64_t WidthOf(const models::Buckets& buckets, int64_t longest, int64_t most);

// Cuts ragged rows, sorted by length (rows of equal length as they stand), into batches of so many
// rows; which batch is longer than which is drawn with `order`. The batches have the column as
// `buckets.layout` says; `most` is the width of the column before it was made ragged.
absl::StatusOr<std::vector<batch::Batch>> CutByLength(const models::Buckets& buckets, int64_t most,
                                                      const batch::Batch& rows,
                                                      std::span<const int64_t> sizes,
                                                      const RandomKey& order);

// batch::Slice(), with ragged rows, too, at a multiple of 64 bytes: what is computed from them does
// not depend on where they lay.
batch::Batch SliceAligned(const batch::Batch& rows, int64_t from, int64_t to);

}  // namespace tidemill::loader
