// Randomness as a pure function: the same (seed, purpose, trigger, epoch, ordinal) gives the same
// number, whatever the number of threads, workers or restarts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tidemill {

// Names a stream of random numbers.
struct RandomKey {
  int64_t seed = 0;
  std::string_view purpose;  // "selection", "shuffle", "init" ...
  int64_t trigger = 0;
  int64_t epoch = 0;
};

// Returns 64 uniform bits of a stream.
uint64_t RandomBits(const RandomKey& key, int64_t ordinal);

// Sets bits[i] = RandomBits(key, ordinals[i]), at about a nanosecond each. `bits` must be at least
// as long as `ordinals`.
void RandomBits(const RandomKey& key, std::span<const int64_t> ordinals, std::span<uint64_t> bits);

// A bijection of 64 bits. Each bit of the result depends on all of `value`. It is Stafford's
// variant 13 of the finaliser of MurmurHash3. MixBits(ordinal ^ key), with a key from RandomBits(),
// is the cheapest stream of random numbers.
inline uint64_t MixBits(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

// Returns a number that is uniform in [0, 1).
double RandomUnit(const RandomKey& key, int64_t ordinal);

// A permutation of [0, size) in constant memory: a Feistel network over the next power of four
// with cycle walking (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002).
// Thread-safe.
class Permutation {
 public:
  Permutation(const RandomKey& key, int64_t size);
  // Returns the image of `index`, which must be in [0, size).
  int64_t operator()(int64_t index) const;
  // Returns the images of from, from + 1 ...; this is several times as fast.
  void Range(int64_t from, std::span<int64_t> images) const;

 private:
  uint64_t Encrypt(uint64_t value) const;
  uint64_t keys_[6];
  int64_t size_;
  int half_bits_;
};

}  // namespace tidemill
