// Gathers records from mapped files into a block, in the requested order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "storage/gather/mapped_file.h"
#include "storage/gather/payload_cut.h"

namespace tidemill::storage {

// Where records are, column by column. Record r is in `files[file[r]]`, from byte_from[r] on.
struct Extents {
  // None of a null file's records can be read.
  std::span<const MappedFile* const> files = {};
  // Empty when all records are in files[0].
  std::span<const uint32_t> file = {};
  std::span<const int64_t> byte_from = {};
  // Empty when all records have record_bytes.
  std::span<const uint32_t> size = {};
  int64_t record_bytes = 0;
  // The xxh3-64 of the whole record.
  std::span<const uint64_t> hash = {};
  PayloadCut cut = {};

  size_t num_rows() const { return byte_from.size(); }
  int64_t SizeOf(size_t row) const { return size.empty() ? record_bytes : int64_t{size[row]}; }
};

// Writes the num_rows + 1 offsets of consecutive payloads, beginning at 0. Returns
// the last offset. Returns -1 when a record is smaller than the cut, so that the extents cannot be
// right.
int64_t PayloadOffsets(const Extents& extents, std::span<int64_t> offsets);

// Copies payload r to into + offsets[r]. The offsets come from PayloadOffsets(). Appends to `bad`,
// in order, the rows whose records are outside their file or do not match their hash. The bytes in
// `into` for bad rows are undefined.
//
// Each record is copied into private memory and hashed there. A row that is not `bad` is correct,
// even if its file changes during the copy. The source of the copies is prefetched. Pages that are
// not in memory are read one by one unless PrefetchPages() was called.
void Gather(const Extents& extents, std::span<const int64_t> offsets, std::byte* into,
            std::vector<uint32_t>& bad);

// Checks a sample of the extents' pages. If they are not in memory, asks the kernel for all pages
// at once, in the order of the file.
void PrefetchPages(const Extents& extents);

}  // namespace tidemill::storage
