// RandomBits() for many ordinals at once, at about a nanosecond each.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"

namespace tidemill {

// Sets bits[i] = RandomBits(key, ordinals[i]). `bits` must be at least as long as `ordinals`.
void RandomBits(const RandomKey& key, std::span<const int64_t> ordinals, std::span<uint64_t> bits);

}  // namespace tidemill
