#include "storage/gather/gather.h"

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
// Records are gathered in groups, in passes: ask for the lines of the next group, copy this one,
// hash the copies. Record by record the processor, which looks some hundred instructions ahead,
// would see too little of what is to come: a hash or a copy fills its window, a pass of prefetches
// does not.
constexpr int64_t kLinesInGroup = 256;
constexpr size_t kMaxRowsInGroup = 64;
// The processor prefetches the rest of longer records itself.
constexpr int64_t kMaxLinesAhead = 16;

// Asks for a line in the second cache. The first cache waits for far fewer lines at a time, and
// then copies wait for it: records of 160 bytes, one by one at random, take 33 ns instead of 55.
// Inlined by force: g++ takes a function that does little but prefetch for one without effect, and
// drops calls of it.
[[gnu::always_inline]] inline void Prefetch(const std::byte* place) {
  constexpr int kToRead = 0, kSecondCache = 2;
  __builtin_prefetch(place, kToRead, kSecondCache);
}

// kFixed: all records have extents.record_bytes. kCut: the label is within the record.
template <bool kFixed, bool kCut>
class Gatherer {
 public:
  Gatherer(const Extents& extents, std::span<const int64_t> offsets, std::byte* into)
      : extents_(extents), offsets_(offsets), into_(into) {
    const auto rows = static_cast<int64_t>(extents.num_rows());
    const int64_t mean = kFixed ? extents.record_bytes : (offsets.back() + rows - 1) / rows;
    const int64_t lines = std::clamp<int64_t>(mean / kLine + 1, 1, kMaxLinesAhead);
    group_ = std::min(static_cast<size_t>(kLinesInGroup / lines), kMaxRowsInGroup);
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
    std::array<std::array<const std::byte*, kMaxRowsInGroup>, 2> places;
    LookAhead(0, places[0]);
    for (size_t from = 0, group = 0; from < rows; from += group_, ++group) {
      LookAhead(from + group_, places[(group + 1) % 2]);
      CopyGroup(from, places[group % 2]);
      CheckGroup(from, places[group % 2], bad);
    }
  }

 private:
  using Places = std::array<const std::byte*, kMaxRowsInGroup>;

  size_t CountOf(size_t from) const {
    const size_t rows = extents_.num_rows();
    return from >= rows ? 0 : std::min(group_, rows - from);
  }
  size_t SizeOf(size_t row) const {
    return static_cast<size_t>(kFixed ? extents_.record_bytes : int64_t{extents_.size[row]});
  }

  // Where a record is; nullptr when it is not within its file.
  const std::byte* PlaceOf(size_t row) const {
    const MappedFile* const file = extents_.files[extents_.file.empty() ? 0 : extents_.file[row]];
    const int64_t from = extents_.byte_from[row];
    if (file == nullptr || from < 0) return nullptr;
    const size_t size = SizeOf(row);
    if (size > file->size() || static_cast<size_t>(from) > file->size() - size) return nullptr;
    return file->data() + from;
  }

  // Finds the records of the group at `from` and asks for their lines. Inlined as Prefetch() is.
  [[gnu::always_inline]] void LookAhead(size_t from, Places& places) const {
    const size_t count = CountOf(from);
    for (size_t i = 0; i < count; ++i) {
      const std::byte* const place = PlaceOf(from + i);
      places[i] = place;
      if (place == nullptr) continue;
      const auto size = static_cast<int64_t>(SizeOf(from + i));
      const int64_t ahead = std::min(size, kMaxLinesAhead * kLine);
      for (int64_t at = 0; at < ahead; at += kLine) Prefetch(place + at);
      Prefetch(place + std::max<int64_t>(ahead, 1) - 1);
    }
  }

  // Where row `row`, the i-th of its group, is copied to whole.
  std::byte* TargetOf(size_t row, size_t i) {
    if constexpr (kCut) return scratch_.data() + i * stride_;
    return into_ + offsets_[row];
  }

  void CopyGroup(size_t from, const Places& places) {
    const size_t count = CountOf(from);
    for (size_t i = 0; i < count; ++i) {
      if (places[i] == nullptr) continue;
      std::memcpy(TargetOf(from + i, i), places[i], SizeOf(from + i));
    }
  }

  void CheckGroup(size_t from, const Places& places, std::vector<uint32_t>& bad) {
    const size_t count = CountOf(from);
    for (size_t i = 0; i < count; ++i) {
      const size_t row = from + i;
      const std::byte* const record = TargetOf(row, i);
      const size_t size = SizeOf(row);
      if (places[i] == nullptr || XXH3_64bits(record, size) != extents_.hash[row]) {
        bad.push_back(static_cast<uint32_t>(row));
        continue;
      }
      if constexpr (kCut) {
        const auto before = static_cast<size_t>(extents_.cut.offset);
        const size_t behind = before + static_cast<size_t>(extents_.cut.size);
        std::byte* const to = into_ + offsets_[row];
        if (before > 0) std::memcpy(to, record, before);
        if (behind < size) std::memcpy(to + before, record + behind, size - behind);
      }
    }
  }

  const Extents& extents_;
  const std::span<const int64_t> offsets_;
  std::byte* const into_;
  size_t group_ = 0;
  size_t stride_ = 0;
  std::vector<std::byte> scratch_;
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

void PrefetchPages(const Extents& extents) {
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
