// Gathers records from mapped files into a block, in the order asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "storage/client/mapped_file.h"
#include "storage/client/payload_cut.h"

namespace tidemill::storage {

// Where records lie, column by column: the r-th is in `files[file[r]]` from byte_from[r] on.
struct Extents {
  // A null one has no record that can be read.
  std::span<const MappedFile* const> files = {};
  // Empty: all lie in files[0].
  std::span<const uint32_t> file = {};
  std::span<const int64_t> byte_from = {};
  // Empty: all have record_bytes.
  std::span<const uint32_t> size = {};
  int64_t record_bytes = 0;
  // xxh3-64 of the whole record.
  std::span<const uint64_t> hash = {};
  PayloadCut cut = {};

  size_t num_rows() const { return byte_from.size(); }
  int64_t SizeOf(size_t row) const { return size.empty() ? record_bytes : int64_t{size[row]}; }
};

// Writes num_rows + 1 offsets of payloads that lie one after another, from 0 on. Returns the last;
// -1 when a record is smaller than the cut, so that the extents are nonsense.
int64_t PayloadOffsets(const Extents& extents, std::span<int64_t> offsets);

// Copies payload r to into + offsets[r], offsets as above. Appends to `bad`, in order, the rows
// whose records lie outside of their file or are not those that the hash was made of; what is in
// `into` for them is nothing to be used.
//
// Each record is copied into memory of our own, then hashed there: whatever happens to a file
// meanwhile, a row that is not `bad` is right. Memory that the copies come from is prefetched; cold
// pages are fetched one by one unless BringIn was called.
void Gather(const Extents& extents, std::span<const int64_t> offsets, std::byte* into,
            std::vector<uint32_t>& bad);

// Asks the kernel for the pages of the extents, all at once and in the order in which they lie,
// when a sample of them is not in memory.
void BringIn(const Extents& extents);

}  // namespace tidemill::storage
