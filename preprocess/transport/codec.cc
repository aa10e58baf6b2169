#include "preprocess/transport/codec.h"

#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <string>

namespace tidemill::preprocess {

namespace {

// Level 1: more costs more than links of this kind give back.
constexpr int kZstdLevel = 1;

absl::StatusOr<batch::Buffer> Joined(std::span<const batch::Buffer> parts) {
  size_t size = 0;
  for (const batch::Buffer& part : parts) size += part.size();
  if (size > kMaxBatchBytes) return InvalidArgument("a batch of {} bytes is too long", size);
  if (parts.size() == 1) return parts[0];
  batch::Buffer joined = batch::Buffer::AllocateUnwritten(size);
  size_t at = 0;
  for (const batch::Buffer& part : parts) {
    if (part.empty()) continue;
    std::memcpy(joined.mutable_data() + at, part.data(), part.size());
    at += part.size();
  }
  return joined;
}

const char* CharactersOf(const batch::Buffer& bytes) {
  return reinterpret_cast<const char*>(bytes.data());
}

batch::Buffer CompressLz4(const batch::Buffer& bytes) {
  const int bound = LZ4_compressBound(static_cast<int>(bytes.size()));
  batch::Buffer to = batch::Buffer::AllocateUnwritten(static_cast<size_t>(bound));
  const int size =
      LZ4_compress_default(CharactersOf(bytes), reinterpret_cast<char*>(to.mutable_data()),
                           static_cast<int>(bytes.size()), bound);
  return to.Slice(0, static_cast<size_t>(size));
}

absl::StatusOr<batch::Buffer> CompressZstd(const batch::Buffer& bytes) {
  const size_t bound = ZSTD_compressBound(bytes.size());
  batch::Buffer to = batch::Buffer::AllocateUnwritten(bound);
  const size_t size =
      ZSTD_compress(to.mutable_data(), bound, bytes.data(), bytes.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0) return Internal("zstd: {}", ZSTD_getErrorName(size));
  return to.Slice(0, size);
}

}  // namespace

absl::StatusOr<batch::Buffer> Compress(v1::Compression compression,
                                       std::span<const batch::Buffer> parts) {
  ASSIGN_OR_RETURN(const batch::Buffer bytes, Joined(parts));
  switch (compression) {
    case v1::COMPRESSION_LZ4:
      return CompressLz4(bytes);
    case v1::COMPRESSION_ZSTD:
      return CompressZstd(bytes);
    default:
      return InvalidArgument("compression {} is unknown", static_cast<int>(compression));
  }
}

absl::StatusOr<batch::Buffer> Decompress(v1::Compression compression, const batch::Buffer& bytes,
                                         int64_t size) {
  if (size < 0 || size > kMaxBatchBytes || bytes.size() > kMaxBatchBytes) {
    return DataLoss("a batch claims to have {} bytes", size);
  }
  const auto capacity = static_cast<size_t>(size);
  batch::Buffer to = batch::Buffer::AllocateUnwritten(capacity);
  int64_t got = -1;
  if (compression == v1::COMPRESSION_LZ4) {
    got = LZ4_decompress_safe(CharactersOf(bytes), reinterpret_cast<char*>(to.mutable_data()),
                              static_cast<int>(bytes.size()), static_cast<int>(capacity));
  } else if (compression == v1::COMPRESSION_ZSTD) {
    const size_t made = ZSTD_decompress(to.mutable_data(), capacity, bytes.data(), bytes.size());
    if (ZSTD_isError(made) == 0) got = static_cast<int64_t>(made);
  } else {
    return DataLoss("a batch has compression {}", static_cast<int>(compression));
  }
  if (got != size) return DataLoss("a compressed batch does not unpack to its {} bytes", size);
  return to;
}

}  // namespace tidemill::preprocess
