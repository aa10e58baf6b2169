#include "base/numbers/random.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/check.h"
#include "base/numbers/each_processor.h"

// Inlined for words of a fixed size, all of the hash but its last two multiplications moves out of
// loops.
#define XXH_INLINE_ALL
#include "xxhash.h"

namespace tidemill {

static_assert(std::endian::native == std::endian::little, "hashed integers are little-endian");

uint64_t RandomBits(const RandomKey& key, int64_t ordinal) {
  const uint64_t purpose = XXH3_64bits(key.purpose.data(), key.purpose.size());
  const int64_t words[] = {key.seed, key.trigger, key.epoch, ordinal};
  return XXH3_64bits_withSeed(words, sizeof(words), purpose);
}

void RandomBits(const RandomKey& key, std::span<const int64_t> ordinals, std::span<uint64_t> bits) {
  TIDEMILL_CHECK(bits.size() >= ordinals.size());
  const uint64_t purpose = XXH3_64bits(key.purpose.data(), key.purpose.size());
  for (size_t i = 0; i < ordinals.size(); ++i) {
    const int64_t words[] = {key.seed, key.trigger, key.epoch, ordinals[i]};
    bits[i] = XXH3_64bits_withSeed(words, sizeof(words), purpose);
  }
}

double RandomUnit(const RandomKey& key, int64_t ordinal) {
  return static_cast<double>(RandomBits(key, ordinal) >> 11) * 0x1.0p-53;
}

namespace {

// A Feistel network of six rounds over numbers of 2 * half_bits_ bits, the fewest that hold `size`:
//
//        left             right         the halves of the value, half_bits_ each
//          |                |
//         (^)<-- MixBits <--+-- ^ key
//          |                |
//           `-----.  .-----'
//                  ><                   once for each of the six keys
//           .-----'  `-----.
//          |                |
//        left             right
//
// A round can be undone whatever MixBits() does, so the network is a permutation of its numbers.
// They are at most four times as many as `size`. A value outside [0, size) is encrypted again until
// it is inside ("cycle walking"): at most four steps on average. The result is still a permutation,
// because each walk follows a cycle of the larger one.
inline __attribute__((always_inline)) uint64_t EncryptWith(const uint64_t (&keys)[6], int half_bits,
                                                           uint64_t value) {
  const uint64_t mask = (uint64_t{1} << half_bits) - 1;
  uint64_t left = value >> half_bits;
  uint64_t right = value & mask;
  for (const uint64_t key : keys) {
    const uint64_t mixed = left ^ (MixBits(right ^ key) & mask);
    left = right;
    right = mixed;
  }
  return (left << half_bits) | right;
}

// Encrypts from, from + 1 ...
TIDEMILL_FOR_EACH_PROCESSOR
void EncryptRange(const uint64_t (&keys)[6], int half_bits, uint64_t from, int64_t count,
                  int64_t* images) {
  uint64_t own[6];  // What is written to `images` cannot change them.
  std::copy(std::begin(keys), std::end(keys), own);
  for (int64_t i = 0; i < count; ++i) {
    images[i] = static_cast<int64_t>(EncryptWith(own, half_bits, from + static_cast<uint64_t>(i)));
  }
}

}  // namespace

Permutation::Permutation(const RandomKey& key, int64_t size) : size_(size), half_bits_(1) {
  while (half_bits_ < 31 && (int64_t{1} << (2 * half_bits_)) < size) ++half_bits_;
  // Ordinals are not negative, so these draws are no one else's.
  for (int round = 0; round < 6; ++round) keys_[round] = RandomBits(key, -1 - round);
}

uint64_t Permutation::Encrypt(uint64_t value) const {
  return EncryptWith(keys_, half_bits_, value);
}

int64_t Permutation::operator()(int64_t index) const {
  TIDEMILL_DCHECK(index >= 0 && index < size_);
  auto value = static_cast<uint64_t>(index);
  do {
    value = Encrypt(value);
  } while (value >= static_cast<uint64_t>(size_));
  return static_cast<int64_t>(value);
}

void Permutation::Range(int64_t from, std::span<int64_t> images) const {
  constexpr size_t kPiece = 1024;
  std::array<uint16_t, kPiece> outside;
  for (; !images.empty(); images = images.subspan(std::min(images.size(), kPiece))) {
    const std::span<int64_t> piece = images.first(std::min(images.size(), kPiece));
    EncryptRange(keys_, half_bits_, static_cast<uint64_t>(from), std::ssize(piece), piece.data());
    from += std::ssize(piece);
    // All walk on that are not there yet. The steps of one round are independent of one another and
    // have no branch, so the processor does several at once.
    size_t num_outside = 0;
    for (size_t i = 0; i < piece.size(); ++i) {
      outside[num_outside] = static_cast<uint16_t>(i);
      num_outside += static_cast<size_t>(piece[i] >= size_);
    }
    while (num_outside > 0) {
      const size_t num_walking = std::exchange(num_outside, 0);
      for (size_t i = 0; i < num_walking; ++i) {
        const uint16_t at = outside[i];
        piece[at] = static_cast<int64_t>(Encrypt(static_cast<uint64_t>(piece[at])));
        outside[num_outside] = at;
        num_outside += static_cast<size_t>(piece[at] >= size_);
      }
    }
  }
}

}  // namespace tidemill
