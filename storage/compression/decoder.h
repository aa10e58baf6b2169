// Decoders of compressed files. Every compression is listed in NewDecoder().
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
    size_t taken = 0;  // Bytes of the input that are dealt with.
    size_t made = 0;   // Bytes that were written to `out`.
  };

  virtual ~Decoder() = default;

  // Goes on with the packed bytes `in` behind those that were taken before. `last`: nothing follows
  // them. Is to be called again while it takes or makes bytes. DATA_LOSS for bytes that are not
  // sound, RESOURCE_EXHAUSTED for a file that takes too much memory to unpack.
  virtual absl::StatusOr<Progress> Decode(std::string_view in, bool last, std::span<char> out) = 0;

  // Whether the file may end behind what was taken: it is no more within a stream.
  virtual bool at_end() const = 0;
};

// The decoder for a file that begins like gzip, xz or zstd. So may any other file: unless its name
// says how it is packed (".gz", ".xz", ".zst" and the like), its first block has to unpack. nullptr
// for one that is not compressed.
absl::StatusOr<std::unique_ptr<Decoder>> NewDecoder(const OpenFile& file);

// Whether NewDecoder would find a decoder.
absl::StatusOr<bool> IsCompressed(const OpenFile& file);

}  // namespace tidemill::storage
