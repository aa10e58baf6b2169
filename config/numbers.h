// Reads counts and sizes as people write them: with underscores, exponents, suffixes and units.
// They are computed exactly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

#include "config/types.h"

namespace tidemill::config {

// Reads `2000`, `1_000_000`, `1e6`, `1.5M`. INVALID_ARGUMENT unless it is a whole 64-bit number.
absl::StatusOr<int64_t> ParseCount(std::string_view text);

// Reads a number with one of the units B, kB, MB, GB, TB, KiB, MiB, GiB, TiB.
absl::StatusOr<ByteSize> ParseByteSize(std::string_view text);

// Returns the shortest text that ParseByteSize() reads back: "64MiB", "1000B".
std::string FormatByteSize(ByteSize size);

}  // namespace tidemill::config
