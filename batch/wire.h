// The wire format of a batch: a fixed little-endian header, then the columns' buffers, each
// aligned to 64 bytes. See docs/formats/batch.md.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "batch/buffer.h"

namespace tidemill::batch {

// Bytes that Encode() will make.
size_t EncodedSize(const Batch& batch);

// Encodes into one string; one copy of each buffer.
std::string Encode(const Batch& batch);

// The same bytes in pieces, to be sent one behind another: the header, then the columns' own
// buffers with zeros in between. Copies no column.
std::vector<Buffer> EncodeParts(const Batch& batch);

// The header and descriptors that Encode() would make, without the buffers, which are not looked
// at: what a writer puts in front of columns that it never holds whole.
std::string EncodeHead(const Batch& batch);

// Where in the encoded batch the data of the first column begins; 0 when it is empty.
size_t FirstBufferOffset(const Batch& batch);

// Decodes without copying: the columns are views of `bytes`. DATA_LOSS for bytes that are not a
// well-formed batch, whatever they are: every offset and size is checked.
absl::StatusOr<Batch> Decode(Buffer bytes);

}  // namespace tidemill::batch
