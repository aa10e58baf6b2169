#include "preprocess/ring/ring_extents.h"

#include <iterator>

#include "preprocess/ring/ring_memory.h"

namespace tidemill::preprocess {

RingExtents::RingExtents(int64_t size, int64_t limit) : size_(size), limit_(limit) {
  free_[0] = limit;
}

std::optional<int64_t> RingExtents::Take(int64_t bytes) { return TakeBelow(bytes, size_); }

std::optional<int64_t> RingExtents::TakeBeyond(int64_t bytes) { return TakeBelow(bytes, limit_); }

std::optional<int64_t> RingExtents::TakeBelow(int64_t bytes, int64_t end) {
  if (bytes <= 0 || bytes > end) return std::nullopt;
  const int64_t length = (bytes + kRingAlignment - 1) / kRingAlignment * kRingAlignment;
  for (auto i = free_.begin(); i != free_.end() && i->first + length <= end; ++i) {
    const auto [offset, room] = *i;
    if (room < length) continue;
    free_.erase(i);
    if (room > length) free_[offset + length] = room - length;
    taken_[offset] = length;
    bytes_taken_ += length;
    return offset;
  }
  return std::nullopt;
}

std::optional<int64_t> RingExtents::Give(int64_t offset) {
  const auto found = taken_.find(offset);
  if (found == taken_.end()) return std::nullopt;
  const int64_t length = found->second;
  taken_.erase(found);
  bytes_taken_ -= length;
  int64_t begin = offset;
  int64_t end = offset + length;
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && next->first == end) {
    end += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == begin) {
      begin = before->first;
      free_.erase(before);
    }
  }
  free_[begin] = end - begin;
  return length;
}

}  // namespace tidemill::preprocess
