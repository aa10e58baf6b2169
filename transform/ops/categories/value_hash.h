// The hash of a value, and the bucket of a hash.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "xxhash.h"

namespace tidemill::transform {

static_assert(std::endian::native == std::endian::little, "numbers are hashed as raw bytes");

// XXH3_64bits_withSeed() of the eight bytes of a number, as doc/xxhash_spec.md of xxHash has it for
// inputs of four to eight bytes. A call takes longer than these few instructions. Thread-safe.
class NumberHash {
 public:
  explicit NumberHash(uint64_t seed) {
    const uint64_t low = seed & 0xFFFFFFFF;
    const uint64_t swapped = (low >> 24) | (low >> 8 & 0xFF00) | (low << 8 & 0xFF0000) | low << 24;
    secret_ = kSecret - (seed ^ (swapped & 0xFFFFFFFF) << 32);
  }
  uint64_t operator()(uint64_t number) const {
    uint64_t hash = std::rotl(number, 32) ^ secret_;
    hash ^= std::rotl(hash, 49) ^ std::rotl(hash, 24);
    hash *= kPrime;
    hash ^= (hash >> 35) + sizeof(number);
    hash *= kPrime;
    return hash ^ hash >> 28;
  }

 private:
  // Bytes 8 to 15 of xxHash's secret, with 16 to 23.
  static constexpr uint64_t kSecret = 0x1CAD21F72C81017C ^ 0xDB979083E96DD4DE;
  static constexpr uint64_t kPrime = 0x9FB21C651E98DF25;

  uint64_t secret_ = 0;
};

inline uint64_t HashOfText(std::string_view text, uint64_t seed) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

// The buckets 0 to size - 1. Thread-safe.
class Buckets {
 public:
  explicit Buckets(uint64_t size)
      : size_(size), mask_(std::has_single_bit(size) ? std::optional(size - 1) : std::nullopt) {}

  uint64_t size() const { return size_; }
  // The bits of a hash that say its bucket; none when the number of buckets is not a power of two.
  std::optional<uint64_t> mask() const { return mask_; }

  int64_t operator()(uint64_t hash) const {
    // A division takes longer than the hash.
    return static_cast<int64_t>(mask_.has_value() ? hash & *mask_ : hash % size_);
  }

 private:
  const uint64_t size_;
  const std::optional<uint64_t> mask_;  // For a power of two.
};

}  // namespace tidemill::transform
