#include "storage/client/gather.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

// Hashing 160 bytes takes 7 ns; a call across libraries would add to it.
#define XXH_INLINE_ALL
#include "xxhash.h"

namespace tidemill::storage {

namespace {

constexpr int64_t kLine = 64;
// A processor keeps some tens of lines on their way. Records are copied in groups, two groups ahead
// of which lines are asked for: hashes of one group run while the lines of the next ones arrive,
// which record by record they would not, since a hash fills the processor's window.
constexpr int64_t kLinesInGroup = 128;
constexpr size_t kMaxRowsInGroup = 32;
// Of longer records the processor guesses the rest by itself.
constexpr int64_t kMaxLinesAhead = 16;

// Copies at least a line in pieces that the compiler turns into vector moves; no call, whatever the
// size.
inline void Copy(std::byte* to, const std::byte* from, size_t size) {
  constexpr size_t kPiece = 32;
  if (size < kPiece || size > 1024) {
    std::memcpy(to, from, size);
    return;
  }
  std::byte* const last = to + size - kPiece;
  const std::byte* const last_from = from + size - kPiece;
  for (; to < last; to += kPiece, from += kPiece) std::memcpy(to, from, kPiece);
  std::memcpy(last, last_from, kPiece);
}

// kFixed: all records have extents.record_bytes. kCut: the label lies within the record.
template <bool kFixed, bool kCut>
class Gatherer {
 public:
  Gatherer(const Extents& extents, std::span<const int64_t> offsets, std::byte* into)
      : extents_(extents), offsets_(offsets), into_(into) {
    const auto rows = static_cast<int64_t>(extents.num_rows());
    const int64_t mean = kFixed ? extents.record_bytes : (offsets.back() + rows - 1) / rows;
    lines_ = std::clamp<int64_t>(mean / kLine + 1, 1, kMaxLinesAhead);
    group_ = std::min(static_cast<size_t>(kLinesInGroup / lines_), kMaxRowsInGroup);
    // Long records need no groups, only that the copy is still near when it is hashed.
    if (mean > 4096) group_ = 1;
    if constexpr (kCut) {
      int64_t longest = extents.record_bytes;
      for (const uint32_t size : extents.size) longest = std::max<int64_t>(longest, size);
      stride_ = static_cast<size_t>(longest);
      scratch_.resize(stride_ * group_);
    }
  }

  void Run(std::vector<uint32_t>& bad) {
    const size_t rows = extents_.num_rows();
    for (size_t row = 0; row < std::min(2 * group_, rows); ++row) Prefetch(row);
    for (size_t from = 0; from < rows; from += group_) {
      const size_t count = std::min(group_, rows - from);
      CopyGroup(from, count);
      CheckGroup(from, count, bad);
    }
  }

 private:
  int64_t SizeOf(size_t row) const {
    return kFixed ? extents_.record_bytes : int64_t{extents_.size[row]};
  }
  const MappedFile* FileOf(size_t row) const {
    return extents_.files[extents_.file.empty() ? 0 : extents_.file[row]];
  }

  // Inlined by force: g++ takes a function that only prefetches for one that does nothing, and
  // drops calls of it.
  [[gnu::always_inline]] void Prefetch(size_t row) const {
    const MappedFile* const file = FileOf(row);
    const int64_t from = extents_.byte_from[row];
    if (file == nullptr) return;
    // Nothing is touched: an address outside of the file is no harm.
    const auto start = reinterpret_cast<uintptr_t>(file->data()) + static_cast<uintptr_t>(from);
    const char* const at = reinterpret_cast<const char*>(start);
    const int64_t size = SizeOf(row);
    const int64_t lines = std::min(size / kLine + 1, kMaxLinesAhead);
    for (int64_t line = 0; line < lines; ++line) __builtin_prefetch(at + line * kLine);
    if (lines < kMaxLinesAhead) __builtin_prefetch(at + std::max<int64_t>(size, 1) - 1);
  }

  // Where a row of a group is copied to whole.
  std::byte* TargetOf(size_t row, size_t in_group) {
    if constexpr (kCut) return scratch_.data() + in_group * stride_;
    return into_ + offsets_[row];
  }

  void CopyGroup(size_t from, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const size_t row = from + i;
      const MappedFile* const file = FileOf(row);
      const int64_t byte_from = extents_.byte_from[row];
      const int64_t size = SizeOf(row);
      inside_[i] = file != nullptr && byte_from >= 0 &&
                   size <= static_cast<int64_t>(file->size()) &&
                   byte_from <= static_cast<int64_t>(file->size()) - size;
      if (inside_[i]) {
        Copy(TargetOf(row, i), file->data() + byte_from, static_cast<size_t>(size));
      }
      if (row + 2 * group_ < extents_.num_rows()) Prefetch(row + 2 * group_);
    }
  }

  void CheckGroup(size_t from, size_t count, std::vector<uint32_t>& bad) {
    for (size_t i = 0; i < count; ++i) {
      const size_t row = from + i;
      const std::byte* const record = TargetOf(row, i);
      const auto size = static_cast<size_t>(SizeOf(row));
      if (!inside_[i] || XXH3_64bits(record, size) != extents_.hash[row]) {
        bad.push_back(static_cast<uint32_t>(row));
        continue;
      }
      if constexpr (kCut) {
        const auto before = static_cast<size_t>(extents_.cut.offset);
        const size_t behind = before + static_cast<size_t>(extents_.cut.size);
        std::byte* const to = into_ + offsets_[row];
        if (before > 0) Copy(to, record, before);
        Copy(to + before, record + behind, size - behind);
      }
    }
  }

  const Extents& extents_;
  const std::span<const int64_t> offsets_;
  std::byte* const into_;
  int64_t lines_ = 0;
  size_t group_ = 0;
  size_t stride_ = 0;
  std::vector<std::byte> scratch_;
  std::array<bool, kMaxRowsInGroup> inside_{};
};

// Whether the page that a record begins on is in memory; also when that cannot be told.
bool IsInMemory(const MappedFile& file, int64_t byte_from, int64_t page_bytes) {
  if (byte_from < 0 || byte_from >= static_cast<int64_t>(file.size())) return true;
  const int64_t page = byte_from / page_bytes * page_bytes;
  unsigned char resident = 0;
  if (mincore(const_cast<std::byte*>(file.data()) + page, 1, &resident) != 0) return true;
  return (resident & 1) != 0;
}

}  // namespace

int64_t PayloadOffsets(const Extents& extents, std::span<int64_t> offsets) {
  int64_t end = 0;
  for (size_t row = 0; row < extents.num_rows(); ++row) {
    offsets[row] = end;
    const int64_t size = extents.SizeOf(row) - extents.cut.size;
    if (size < extents.cut.offset) return -1;
    end += size;
  }
  offsets[extents.num_rows()] = end;
  return end;
}

void Gather(const Extents& extents, std::span<const int64_t> offsets, std::byte* into,
            std::vector<uint32_t>& bad) {
  if (extents.num_rows() == 0) return;
  const bool cut = extents.cut.size > 0;
  if (extents.size.empty()) {
    if (cut) return Gatherer<true, true>(extents, offsets, into).Run(bad);
    return Gatherer<true, false>(extents, offsets, into).Run(bad);
  }
  if (cut) return Gatherer<false, true>(extents, offsets, into).Run(bad);
  return Gatherer<false, false>(extents, offsets, into).Run(bad);
}

void BringIn(const Extents& extents) {
  constexpr size_t kSampled = 16;
  const size_t rows = extents.num_rows();
  const int64_t page_bytes = sysconf(_SC_PAGESIZE);
  const auto file_of = [&](size_t row) {
    return extents.files[extents.file.empty() ? 0 : extents.file[row]];
  };
  bool is_warm = true;
  for (size_t i = 0; i < std::min(rows, kSampled) && is_warm; ++i) {
    const size_t row = i * rows / std::min(rows, kSampled);
    const MappedFile* const file = file_of(row);
    is_warm = file == nullptr || IsInMemory(*file, extents.byte_from[row], page_bytes);
  }
  if (is_warm) return;

  // Pages of all records, sorted; neighbours become one request.
  std::vector<std::pair<const std::byte*, const std::byte*>> ranges;
  ranges.reserve(rows);
  for (size_t row = 0; row < rows; ++row) {
    const MappedFile* const file = file_of(row);
    const int64_t from = extents.byte_from[row];
    const int64_t size = extents.SizeOf(row);
    if (file == nullptr || from < 0 || from > static_cast<int64_t>(file->size()) - size) continue;
    ranges.emplace_back(file->data() + from / page_bytes * page_bytes, file->data() + from + size);
  }
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 0; i < ranges.size();) {
    auto [from, to] = ranges[i];
    for (++i; i < ranges.size() && ranges[i].first <= to + page_bytes; ++i) {
      to = std::max(to, ranges[i].second);
    }
    madvise(const_cast<std::byte*>(from), static_cast<size_t>(to - from), MADV_WILLNEED);
  }
}

}  // namespace tidemill::storage
