// Decoders of compressed files. kCompressions in decoder.cc lists every compression.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/status.h"
#include "storage/filesystems/local.h"

namespace tidemill::storage {

// Unpacks one file from its first byte to its last. Thread-compatible.
class Decoder {
 public:
  struct Progress {
    size_t taken = 0;  // The number of input bytes consumed.
    size_t made = 0;   // The number of bytes written to `out`.
  };

  virtual ~Decoder() = default;

  // Continues with the packed bytes `in`, which follow those consumed before. `last` says that
  // nothing follows them. Call it again while it consumes or writes bytes. DATA_LOSS when the bytes
  // are damaged. RESOURCE_EXHAUSTED when the file takes too much memory to unpack.
  virtual absl::StatusOr<Progress> Decode(std::string_view in, bool last, std::span<char> out) = 0;

  // Whether the file may end here, because no stream is open.
  virtual bool at_end() const = 0;
};

// Returns the decoder for a file that begins like gzip, xz or zstd, and nullptr for any other file.
// An uncompressed file may begin like that, too. Therefore the first block must unpack, unless the
// file name shows the compression
// (".gz", ".xz", ".zst" and the like).
absl::StatusOr<std::unique_ptr<Decoder>> NewDecoder(const OpenFile& file);

// Whether NewDecoder() would find a decoder.
absl::StatusOr<bool> IsCompressed(const OpenFile& file);

}  // namespace tidemill::storage
