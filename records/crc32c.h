// CRC-32C (Castagnoli), the checksum of TFRecord files and of TensorBoard's event files.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill {

// Returns the CRC-32C of RFC 3720, appendix B.4: polynomial 0x1EDC6F41, reflected, of inverted
// bits. Uses the processor's own instruction if it has one (SSE4.2).
uint32_t Crc32c(std::string_view bytes);

// Returns the sum of the bytes of `crc` followed by `bytes`. Crc32c(ab) ==
// ExtendCrc32c(Crc32c(a), b).
uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes);

// Does the same with a table, on every processor.
uint32_t ExtendCrc32cByTable(uint32_t crc, std::string_view bytes);

// Returns the sum as TFRecord stores it: rotated right by 15 bits and shifted by a constant. The
// sum of bytes that contain their own sum then remains a check.
constexpr uint32_t MaskCrc32c(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8U; }

}  // namespace tidemill
