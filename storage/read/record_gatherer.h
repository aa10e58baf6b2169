// Gathers records of one file into memory, each checked against its hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "storage/filesystems/local.h"
#include "storage/formats/format.h"

namespace tidemill::storage {

// A record to be read. What is read lies in private memory before it is checked, so whatever
// happens to the file meanwhile (truncated, rewritten in place, replaced), `ok` means that `into`
// holds the bytes that were ingested.
struct WantedRecord {
  int64_t byte_from = 0;
  int64_t byte_to = 0;
  // xxh3-64 of the bytes [byte_from, byte_to).
  uint64_t hash = 0;
  // Where they go, less those of the cut.
  std::byte* into = nullptr;
  // The caller's own number for it.
  size_t tag = 0;
  bool ok = false;
};

// Reads the records that are not `ok` yet: neighbours with one call, scattered to where they
// belong, one copy a byte. Reorders `records`.
void GatherRecords(const OpenFile& file, PayloadCut cut, std::span<WantedRecord> records);

}  // namespace tidemill::storage
