// Rows that follow one another, without a copy where that is possible.
#pragma once

#include <cstdint>

#include "batch/batch.h"

namespace tidemill::batch {

// Rows [from, to) of every column. Numbers are views of the batch's buffers where they begin at a
// multiple of 64 bytes, and copied where not, so that what is computed from them does not depend on
// where they lay; a binary column's bytes are always views.
Batch Slice(const Batch& batch, int64_t from, int64_t to);

// Bytes of all buffers of the columns.
int64_t BytesOf(const Batch& batch);

}  // namespace tidemill::batch
