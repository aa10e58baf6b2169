// RandomBits() for many ordinals at once, at about a nanosecond each.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"

namespace tidemill {

// bits[i] = RandomBits(key, ordinals[i]). `bits` is at least as long as `ordinals`.
void RandomBits(const RandomKey& key, std::span<const int64_t> ordinals, std::span<uint64_t> bits);

}  // namespace tidemill
