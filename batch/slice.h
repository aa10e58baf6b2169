// Consecutive rows of a batch, without a copy where possible.
#pragma once

#include <cstdint>

#include "batch/batch.h"

namespace tidemill::batch {

// Returns the rows [from, to) of every column. Numbers are views of the batch's buffers if they
// begin at a multiple of 64 bytes. Otherwise they are copied, so that results computed from them do
// not depend on their address. The bytes of a binary column are always views.
Batch Slice(const Batch& batch, int64_t from, int64_t to);

// Returns the bytes of all buffers of the columns.
int64_t BytesOf(const Batch& batch);

}  // namespace tidemill::batch
