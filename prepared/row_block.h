// A block of prepared rows: what a file of rows has one after another (row_file.h), and what an
// object of a store is (storage/prepared_objects). See docs/formats/prepared_rows.md.
//
//   [ header ][ entry ]..[ entry ][ row ]..[ row ]
//     32 bytes   64 bytes each       what entries say
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "prepared/prepared_samples.h"

namespace tidemill::prepared {

inline constexpr uint64_t kBlockMagic = 0x0153574f524d5400;  // "\0TMROWS\1", little-endian.

struct BlockHeader {
  uint64_t magic = kBlockMagic;
  uint32_t num_rows = 0;
  uint32_t unused = 0;
  int64_t bytes = 0;  // All bytes of the block, with this header.
  uint64_t sum = 0;   // The sum of the header up to here.
};
static_assert(sizeof(BlockHeader) == 32);
inline constexpr int64_t kHeaderBytes = sizeof(BlockHeader);

// An entry on disk, little-endian.
struct RowEntry {
  int64_t key = 0;
  uint64_t record = 0;
  uint64_t row_sum = 0;  // The sum of the row, or of the reason of a bad sample.
  int64_t event_time = 0;
  int64_t class_label = 0;
  double real_label = 0;
  uint32_t row_bytes = 0;
  RowState state = RowState::kMissing;  // kMissing: it was wiped.
  uint8_t has_class = 0;
  uint8_t has_number = 0;
  uint8_t unused = 0;
  uint64_t sum = 0;  // The sum of the entry up to here.

  SampleName name() const { return {key, record}; }
};
static_assert(sizeof(RowEntry) == 64);

// What a wiped entry is overwritten by.
RowEntry WipedEntry(const RowEntry& entry);

uint64_t SumOf(const BlockHeader& header);
uint64_t SumOf(const RowEntry& entry);
// The seed keeps the row of one sample from being taken for that of another.
inline uint64_t SeedOf(const SampleName& name) {
  return static_cast<uint64_t>(name.key) ^ name.record;
}

// A row's bytes in one column.
struct Piece {
  std::byte* data = nullptr;
  size_t size = 0;
};
// Returns where row `row` is in the data of all columns.
std::vector<Piece> PiecesOf(const RowColumns& columns, int64_t row,
                            const std::vector<batch::Buffer>& data);
uint64_t SumOf(const std::vector<Piece>& pieces, uint64_t seed);

// Returns the entry of a row, which must not be missing.
RowEntry EntryOf(const SampleName& name, const NamedRows& rows, const RowColumns& columns,
                 int64_t row);

// Returns the header of a block with these entries.
BlockHeader HeaderOf(std::span<const RowEntry> entries);

// Returns the entries of a block of `block_bytes`, from its first bytes: at least its header and
// its entries. DATA_LOSS when anything of them is damaged or missing.
absl::StatusOr<std::vector<RowEntry>> EntriesOf(std::string_view bytes, int64_t block_bytes);

// Takes the row of an entry, whose bytes are given, into row `row` of `rows`, whose state it sets.
// Returns false when they are not those that were kept.
bool TakeRow(const RowEntry& entry, std::string_view bytes, const RowColumns& columns, int64_t row,
             NamedRows& rows);
// Copies the facts of a row, and its state, from its entry.
void TakeFacts(const RowEntry& entry, int64_t row, NamedRows& rows);

}  // namespace tidemill::prepared
