#include "prepared/row_block.h"

#include <cstring>

#include "prepared/medium_speed.h"
#include "xxhash.h"

namespace tidemill::prepared {

static_assert(sizeof(RowEntry) == kEntryBytes);

uint64_t SumOf(const BlockHeader& header) {
  return XXH3_64bits(&header, offsetof(BlockHeader, sum));
}
uint64_t SumOf(const RowEntry& entry) { return XXH3_64bits(&entry, offsetof(RowEntry, sum)); }

RowEntry WipedEntry(const RowEntry& entry) {
  RowEntry wiped{.row_bytes = entry.row_bytes};
  wiped.sum = SumOf(wiped);
  return wiped;
}

std::vector<Piece> PiecesOf(const RowColumns& columns, int64_t row,
                            const std::vector<batch::Buffer>& data) {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < columns.size(); ++i) {
    const size_t size = static_cast<size_t>(columns[i].Width()) * batch::SizeOf(columns[i].type);
    const std::byte* const begin = data[i].data() + static_cast<size_t>(row) * size;
    pieces.push_back({const_cast<std::byte*>(begin), size});
  }
  return pieces;
}

uint64_t SumOf(const std::vector<Piece>& pieces, uint64_t seed) {
  for (const Piece& piece : pieces) seed = XXH3_64bits_withSeed(piece.data, piece.size, seed);
  return seed;
}

RowEntry EntryOf(const SampleName& name, const NamedRows& rows, const RowColumns& columns,
                 int64_t row) {
  const auto at = static_cast<size_t>(row);
  const SampleFacts& facts = rows.facts[at];
  RowEntry entry{.key = name.key,
                 .record = name.record,
                 .event_time = facts.event_time,
                 .class_label = facts.class_label,
                 .real_label = facts.real_label,
                 .state = rows.states[at],
                 .has_class = facts.has_class ? uint8_t{1} : uint8_t{0},
                 .has_number = facts.has_number ? uint8_t{1} : uint8_t{0}};
  if (entry.state == RowState::kGood) {
    entry.row_bytes = static_cast<uint32_t>(RowBytes(columns));
    entry.row_sum = SumOf(PiecesOf(columns, row, rows.data), SeedOf(name));
  } else if (entry.state == RowState::kBad) {
    const std::string& reason = rows.reasons.at(row);
    entry.row_bytes = static_cast<uint32_t>(reason.size());
    entry.row_sum = XXH3_64bits_withSeed(reason.data(), reason.size(), SeedOf(name));
  }
  entry.sum = SumOf(entry);
  return entry;
}

BlockHeader HeaderOf(std::span<const RowEntry> entries) {
  BlockHeader header{.num_rows = static_cast<uint32_t>(entries.size()),
                     .bytes = kHeaderBytes + std::ssize(entries) * kEntryBytes};
  for (const RowEntry& entry : entries) header.bytes += entry.row_bytes;
  header.sum = SumOf(header);
  return header;
}

absl::StatusOr<std::vector<RowEntry>> EntriesOf(std::string_view bytes, int64_t block_bytes) {
  BlockHeader header;
  if (std::ssize(bytes) < kHeaderBytes) return DataLoss("the block ends within its header");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.magic != kBlockMagic || header.sum != SumOf(header) || header.bytes != block_bytes) {
    return DataLoss("the header of the block is damaged, or the block is cut off");
  }
  if (std::ssize(bytes) < kHeaderBytes + int64_t{header.num_rows} * kEntryBytes) {
    return DataLoss("the block ends within its entries");
  }
  std::vector<RowEntry> entries(header.num_rows);
  if (!entries.empty()) {
    std::memcpy(entries.data(), bytes.data() + kHeaderBytes, entries.size() * sizeof(RowEntry));
  }
  int64_t end = kHeaderBytes + std::ssize(entries) * kEntryBytes;
  for (const RowEntry& entry : entries) {
    if (entry.sum != SumOf(entry)) return DataLoss("an entry of the block is damaged");
    end += entry.row_bytes;
  }
  if (end != block_bytes) return DataLoss("the entries are not those of the block");
  return entries;
}

bool TakeRow(const RowEntry& entry, std::string_view bytes, const RowColumns& columns, int64_t row,
             NamedRows& rows) {
  if (bytes.size() != entry.row_bytes) return false;
  if (entry.state == RowState::kBad) {
    if (XXH3_64bits_withSeed(bytes.data(), bytes.size(), SeedOf(entry.name())) != entry.row_sum) {
      return false;
    }
    rows.reasons[row] = std::string(bytes);
  } else if (entry.state == RowState::kGood) {
    if (entry.row_bytes != static_cast<uint32_t>(RowBytes(columns))) return false;
    const std::vector<Piece> pieces = PiecesOf(columns, row, rows.data);
    for (const Piece& piece : pieces) {
      std::memcpy(piece.data, bytes.data(), piece.size);
      bytes.remove_prefix(piece.size);
    }
    if (SumOf(pieces, SeedOf(entry.name())) != entry.row_sum) return false;
  }
  TakeFacts(entry, row, rows);
  return true;
}

void TakeFacts(const RowEntry& entry, int64_t row, NamedRows& rows) {
  const auto at = static_cast<size_t>(row);
  rows.facts[at] = {.event_time = entry.event_time,
                    .has_class = entry.has_class != 0,
                    .has_number = entry.has_number != 0,
                    .class_label = entry.class_label,
                    .real_label = entry.real_label};
  rows.states[at] = entry.state;
}

}  // namespace tidemill::prepared
