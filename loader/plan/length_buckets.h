// Sorts rows by length and cuts them into batches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/numbers/random.h"
#include "base/status.h"
#include "batch/batch.h"
#include "models/training/buckets_spec.h"

namespace tidemill::loader {

// Makes `buckets.column` of the rows ragged; see ragged_column.h. NOT_FOUND without the column.
// Other errors are as in ToRagged().
absl::Status MakeRagged(const models::Buckets& buckets, batch::Batch& rows);

// Returns the width of a batch whose longest row has `longest` places: the least boundary that
// holds it, at least 1, at most `most`.
int64_t WidthOf(const models::Buckets& buckets, int64_t longest, int64_t most);

// Cuts ragged rows into batches of the given numbers of rows. Rows are sorted by length; rows of
// equal length keep their order. `order` draws which batch is longer than which. The column of the
// batches has the layout `buckets.layout`. `most` is the width of the column before it was made
// ragged.
absl::StatusOr<std::vector<batch::Batch>> CutByLength(const models::Buckets& buckets, int64_t most,
                                                      const batch::Batch& rows,
                                                      std::span<const int64_t> sizes,
                                                      const RandomKey& order);

// Does the same as batch::Slice(), also for ragged rows, but at a multiple of 64 bytes. Results
// computed from the rows then do not depend on the address of the rows.
batch::Batch SliceAligned(const batch::Batch& rows, int64_t from, int64_t to);

}  // namespace tidemill::loader
