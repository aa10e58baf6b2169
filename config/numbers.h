// Reads counts, sizes and devices as people write them. Numbers may have underscores, exponents,
// suffixes and units, and are computed exactly.
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

// Numbers of GPUs are below this.
inline constexpr int kMaxGpus = 1000;

// Reads `auto`, `cpu`, `cuda` or `cuda:1`. INVALID_ARGUMENT for any other text, and for `cuda:01`.
absl::StatusOr<DeviceChoice> ParseDevice(std::string_view text);

// Returns the text that ParseDevice() reads back.
std::string FormatDevice(const DeviceChoice& device);

}  // namespace tidemill::config
