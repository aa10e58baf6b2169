// The cheapest stream of random numbers: MixBits(ordinal ^ key), with a key from RandomBits().
#pragma once

#include <cstdint>

namespace tidemill {

// A bijection of 64 bits. Each bit of the result depends on all of `value`. It is Stafford's
// variant 13 of the finaliser of MurmurHash3.
inline uint64_t MixBits(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

}  // namespace tidemill
