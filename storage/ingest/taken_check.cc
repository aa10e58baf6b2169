#include "storage/ingest/taken_check.h"

#include <algorithm>

#include "xxhash.h"

namespace tidemill::storage {

namespace {

constexpr int64_t kReadBytes = int64_t{64} << 10;

}  // namespace

bool TakenCheck::Holds(const OldSegment& segment, int64_t first_key) {
  // Its samples are given up when the file is compared as a whole.
  if (!segment.columns) return false;
  const int64_t skipped = std::max<int64_t>(0, first_key - segment.segment.first_key);
  for (int64_t row = skipped; row < segment.columns->num_rows() && !is_spent(); ++row) {
    const auto at = static_cast<size_t>(row);
    const LookupRow& place = segment.columns->lookup[at];
    last_key_ = segment.segment.first_key + row;
    if (place.byte_from < 0) continue;  // It had vanished before.
    if (!HasAt(place.byte_from, segment.columns->byte_to[at], place.hash)) return false;
  }
  return true;
}

bool TakenCheck::HasAt(int64_t from, int64_t to, int64_t hash) {
  if (from < offset_ || to > offset_ + std::ssize(held_)) {
    offset_ = from;
    held_.resize(static_cast<size_t>(std::max(to - from, kReadBytes)));
    const absl::StatusOr<size_t> got = file_.ReadAt(from, held_.data(), held_.size());
    held_.resize(got.value_or(0));
    budget_ -= std::ssize(held_);
    if (std::ssize(held_) < to - from) return false;
  }
  budget_ -= to - from;
  return static_cast<int64_t>(
             XXH3_64bits(held_.data() + (from - offset_), static_cast<size_t>(to - from))) == hash;
}

}  // namespace tidemill::storage
