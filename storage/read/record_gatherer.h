// Reads records of one file into memory and checks each against its hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "storage/filesystems/local.h"
#include "storage/formats/format.h"

namespace tidemill::storage {

// A record to be read. It is read into private memory before it is checked. Therefore `ok` means
// that `into` holds the bytes that were ingested, whatever happens to the file meanwhile
// (truncated, rewritten in place, replaced).
struct WantedRecord {
  int64_t byte_from = 0;
  int64_t byte_to = 0;
  // The xxh3-64 of the bytes [byte_from, byte_to).
  uint64_t hash = 0;
  // Where the bytes go, without the cut.
  std::byte* into = nullptr;
  // A number that the caller chooses.
  size_t tag = 0;
  bool ok = false;
};

// Reads the records that are not `ok` yet. Neighbours are read with one call and scattered to their
// places, with one copy of each byte. Reorders `records`.
void GatherRecords(const OpenFile& file, PayloadCut cut, std::span<WantedRecord> records);

}  // namespace tidemill::storage
