#include "base/check.h"
#include "base/random.h"

// Inlined for words of a fixed size, all of the hash but its last two multiplications moves out of
// the loop.
#define XXH_INLINE_ALL
#include "xxhash.h"

namespace tidemill {

void RandomBits(const RandomKey& key, std::span<const int64_t> ordinals, std::span<uint64_t> bits) {
  TIDEMILL_CHECK(bits.size() >= ordinals.size());
  const uint64_t purpose = XXH3_64bits(key.purpose.data(), key.purpose.size());
  for (size_t i = 0; i < ordinals.size(); ++i) {
    const int64_t words[] = {key.seed, key.trigger, key.epoch, ordinals[i]};
    bits[i] = XXH3_64bits_withSeed(words, sizeof(words), purpose);
  }
}

}  // namespace tidemill
