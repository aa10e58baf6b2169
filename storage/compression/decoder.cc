#include "storage/compression/decoder.h"

#include <array>

#include "storage/compression/gzip_decoder.h"
#include "storage/compression/xz_decoder.h"
#include "storage/compression/zstd_decoder.h"

namespace tidemill::storage {

namespace {

enum class Compression { kNone, kGzip, kXz, kZstd };

absl::StatusOr<Compression> CompressionOf(const OpenFile& file) {
  std::array<char, 6> start{};
  ASSIGN_OR_RETURN(const size_t count, file.ReadAt(0, start.data(), start.size()));
  const std::string_view magic(start.data(), count);
  if (magic.starts_with("\x1f\x8b")) return Compression::kGzip;
  if (magic == std::string_view("\xfd\x37zXZ\0", 6)) return Compression::kXz;
  if (magic.starts_with("\x28\xb5\x2f\xfd")) return Compression::kZstd;
  // A frame that is to be skipped, with which parallel writers begin.
  const bool skippable = count >= 4 && magic.substr(1, 3) == "\x2a\x4d\x18" &&
                         (static_cast<unsigned char>(magic[0]) & 0xf0) == 0x50;
  return skippable ? Compression::kZstd : Compression::kNone;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Decoder>> NewDecoder(const OpenFile& file) {
  ASSIGN_OR_RETURN(const Compression compression, CompressionOf(file));
  switch (compression) {
    case Compression::kGzip:
      return NewGzipDecoder();
    case Compression::kXz:
      return NewXzDecoder();
    case Compression::kZstd:
      return NewZstdDecoder();
    case Compression::kNone:
      break;
  }
  return nullptr;
}

absl::StatusOr<bool> IsCompressed(const OpenFile& file) {
  ASSIGN_OR_RETURN(const Compression compression, CompressionOf(file));
  return compression != Compression::kNone;
}

}  // namespace tidemill::storage
