// Keeps track of the used parts of a ring's data area.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace tidemill::preprocess {

// Extents begin at multiples of 64 and are returned in any order. The lowest place that fits is
// taken, so that light traffic uses little memory. Thread-compatible.
class RingExtents {
 public:
  // Extents are within [0, size), or on request within [0, limit).
  RingExtents(int64_t size, int64_t limit);

  // Takes a place for `bytes`, at least 1. std::nullopt when there is no room.
  std::optional<int64_t> Take(int64_t bytes);
  std::optional<int64_t> TakeBeyond(int64_t bytes);
  // Returns an extent. The result is its length as it was taken, rounded up to 64. std::nullopt
  // when no extent begins there.
  std::optional<int64_t> Give(int64_t offset);

  int64_t num_taken() const { return static_cast<int64_t>(taken_.size()); }
  int64_t bytes_taken() const { return bytes_taken_; }

 private:
  std::optional<int64_t> TakeBelow(int64_t bytes, int64_t end);

  const int64_t size_;
  const int64_t limit_;
  std::map<int64_t, int64_t> free_;   // Maps offsets to lengths. No two extents touch.
  std::map<int64_t, int64_t> taken_;  // Maps offsets to lengths.
  int64_t bytes_taken_ = 0;
};

}  // namespace tidemill::preprocess
