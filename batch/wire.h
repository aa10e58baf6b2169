// The wire format of a batch: a fixed little-endian header, then the columns' buffers, each
// aligned to 64 bytes. See docs/formats/batch.md.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "batch/buffer.h"

namespace tidemill::batch {

// Returns the number of bytes that Encode() will make.
size_t EncodedSize(const Batch& batch);

// Encodes into one string, with one copy of each buffer.
std::string Encode(const Batch& batch);

// Returns the same bytes in pieces, to be sent one after another: the header, then the columns' own
// buffers with zeros between them. Copies no column.
std::vector<Buffer> EncodeParts(const Batch& batch);

// Returns the header and descriptors of Encode(), without the buffers, which are not read. A writer
// uses it for columns that it writes piece by piece.
std::string EncodeHead(const Batch& batch);

// Returns where the data of the first column begins in the encoded batch; 0 when it is empty.
size_t FirstBufferOffset(const Batch& batch);

// Decodes without copying: the columns are views of `bytes`. DATA_LOSS when the bytes are not a
// well-formed batch. Every offset and size is checked.
absl::StatusOr<Batch> Decode(Buffer bytes);

}  // namespace tidemill::batch
