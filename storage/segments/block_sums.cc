#include "storage/segments/block_sums.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace tidemill::storage {

namespace {

constexpr std::string_view kMagic = "TMSUMS01";

struct Trailer {
  uint64_t content_bytes = 0;
  uint64_t block_bytes = 0;
  uint64_t sum = 0;
  char magic[8] = {};
};
static_assert(sizeof(Trailer) == 32);
// The bytes of the trailer that its sum covers.
constexpr size_t kSummedTrailerBytes = 16;

size_t Padded(size_t size) { return (size + 7) / 8 * 8; }

size_t NumBlocks(size_t size) { return (size + kSummedBlockBytes - 1) / kSummedBlockBytes; }

uint64_t SumOfBlock(std::string_view padded, size_t block) {
  const std::string_view bytes = padded.substr(block * kSummedBlockBytes, kSummedBlockBytes);
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace

// A file of three blocks, the last one shorter and padded to a multiple of 8:
//
//   0         64 KiB    128 KiB
//   +---------+---------+-----+-------+-------+-------+-------+--------+-----+----------+
//   | block 0 | block 1 |  2  | sum 0 | sum 1 | sum 2 | bytes | 65,536 | sum | TMSUMS01 |
//   +---------+---------+-----+-------+-------+-------+-------+--------+-----+----------+
//                             |<------- the last sum is of these ----->|
//
// The sums are read from the end: the magic, the sizes, then as many sums as the sizes ask for.
void AppendBlockSums(std::string& bytes) {
  const size_t content_bytes = bytes.size();
  const size_t padded_bytes = Padded(content_bytes);
  const size_t num_blocks = NumBlocks(padded_bytes);
  bytes.reserve(padded_bytes + num_blocks * sizeof(uint64_t) + sizeof(Trailer));
  bytes.resize(padded_bytes);
  for (size_t block = 0; block < num_blocks; ++block) {
    const uint64_t sum = SumOfBlock(std::string_view(bytes).substr(0, padded_bytes), block);
    bytes.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
  }
  Trailer trailer{.content_bytes = content_bytes, .block_bytes = kSummedBlockBytes};
  bytes.append(reinterpret_cast<const char*>(&trailer), kSummedTrailerBytes);
  trailer.sum = XXH3_64bits(bytes.data() + padded_bytes, bytes.size() - padded_bytes);
  std::memcpy(trailer.magic, kMagic.data(), kMagic.size());
  bytes.append(reinterpret_cast<const char*>(&trailer.sum), sizeof(Trailer) - kSummedTrailerBytes);
}

absl::StatusOr<std::unique_ptr<const BlockSums>> BlockSums::Read(const batch::Buffer& file) {
  if (file.size() < sizeof(Trailer) || !file.view().ends_with(kMagic)) return nullptr;
  Trailer trailer{};
  const size_t end = file.size() - sizeof(Trailer);
  std::memcpy(&trailer, file.data() + end, sizeof(Trailer));
  const size_t content_bytes = trailer.content_bytes;
  if (content_bytes > end || trailer.block_bytes != kSummedBlockBytes) {
    return DataLoss("the end of the file is damaged");
  }
  const size_t padded_bytes = Padded(content_bytes);
  const size_t num_blocks = NumBlocks(padded_bytes);
  if (padded_bytes + num_blocks * sizeof(uint64_t) != end) {
    return DataLoss("the end of the file is damaged");
  }
  const std::byte* const sums = file.data() + padded_bytes;
  if (XXH3_64bits(sums, end - padded_bytes + kSummedTrailerBytes) != trailer.sum) {
    return DataLoss("the sums of the file are damaged");
  }
  return std::unique_ptr<const BlockSums>(
      new BlockSums(file, content_bytes, {reinterpret_cast<const uint64_t*>(sums), num_blocks}));
}

BlockSums::BlockSums(batch::Buffer file, size_t content_bytes, std::span<const uint64_t> sums)
    : file_(std::move(file)),
      content_bytes_(content_bytes),
      sums_(sums),
      found_sound_((sums.size() + 63) / 64),
      num_left_(sums.size()) {}

bool BlockSums::IsSound(size_t block) const {
  const uint64_t bit = uint64_t{1} << block % 64;
  std::atomic<uint64_t>& word = found_sound_[block / 64];
  // Acquired and released, so that what a thread reads because another has compared it is what was
  // compared.
  if ((word.load(std::memory_order_acquire) & bit) != 0) return true;
  if (SumOfBlock(file_.view().substr(0, Padded(content_bytes_)), block) != sums_[block]) {
    return false;
  }
  const uint64_t before = word.fetch_or(bit, std::memory_order_acq_rel);
  if ((before & bit) == 0) num_left_.fetch_sub(1, std::memory_order_acq_rel);
  return true;
}

bool BlockSums::Compare(const void* bytes, size_t size) const {
  const auto begin = reinterpret_cast<uintptr_t>(file_.data());
  const auto from = reinterpret_cast<uintptr_t>(bytes);
  if (size == 0 || from < begin || from >= begin + content_bytes_) return true;
  const size_t end = std::min(sums_.size(), NumBlocks(from - begin + size));
  for (size_t block = (from - begin) / kSummedBlockBytes; block < end; ++block) {
    if (!IsSound(block)) return false;
  }
  return true;
}

}  // namespace tidemill::storage
