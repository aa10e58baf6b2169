// Decoders of compressed files. kCompressions in decoder.cc lists every compression.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "storage/filesystems/local.h"

namespace tidemill::storage {

// Unpacks streams of one compression: the members of gzip, the streams of xz, the frames of zstd.
// Thread-compatible.
class StreamDecoder {
 public:
  struct Progress {
    size_t taken = 0;  // The number of input bytes consumed.
    size_t made = 0;   // The number of bytes written to `out`.
  };

  virtual ~StreamDecoder() = default;

  // Continues with the packed bytes `in`, which follow those consumed before. Begins another stream
  // when one has ended, and consumes nothing after the end of a stream. DATA_LOSS when the bytes
  // are damaged. RESOURCE_EXHAUSTED when the file takes too much memory to unpack.
  virtual absl::StatusOr<Progress> Decode(std::string_view in, std::span<char> out) = 0;

  // Whether a stream has ended, and no other has begun.
  virtual bool at_end() const = 0;
};

// The bytes after the packed data of a file.
struct TrailingBytes {
  int64_t num_bytes = 0;
  bool is_padding = true;  // Whether all of them are zeros or blanks.

  friend bool operator==(const TrailingBytes&, const TrailingBytes&) = default;
};

// Unpacks one file from its first byte to its last: one stream after another. Zeros between two
// streams are skipped. Bytes after a stream that begin no other one end the packed data.
// Thread-compatible.
class Decoder {
 public:
  using Progress = StreamDecoder::Progress;

  // `may_begin` says whether a stream may begin with a text of `magic_bytes` bytes.
  Decoder(std::unique_ptr<StreamDecoder> streams, size_t magic_bytes,
          std::function<bool(std::string_view)> may_begin)
      : streams_(std::move(streams)), magic_bytes_(magic_bytes), may_begin_(std::move(may_begin)) {}

  // Continues with the packed bytes `in`, which follow those consumed before. `last` says that
  // nothing follows them. Call it again while it consumes or writes bytes. Returns the errors of
  // StreamDecoder::Decode().
  absl::StatusOr<Progress> Decode(std::string_view in, bool last, std::span<char> out);

  // Whether the file may end here, because no stream is open.
  bool at_end() const { return state_ != State::kInside || streams_->at_end(); }

  // The number of streams that have ended.
  int64_t num_ended() const { return num_ended_; }
  // Known once all bytes are consumed.
  TrailingBytes behind() const { return behind_; }

 private:
  enum class State : uint8_t { kInside, kBetween, kBehind };

  // Consumes bytes until it is known whether a stream begins.
  absl::StatusOr<Progress> Continue(std::string_view in, bool last, std::span<char> out);
  void CountTrailing(std::string_view bytes);

  const std::unique_ptr<StreamDecoder> streams_;
  const size_t magic_bytes_;
  const std::function<bool(std::string_view)> may_begin_;
  State state_ = State::kInside;
  // Between two streams: the first bytes that are not zero, and the zeros before them.
  std::string begin_;
  TrailingBytes behind_;
  int64_t num_ended_ = 0;
};

// Returns the decoder for a file that begins like gzip, xz or zstd, and nullptr for any other file.
// An uncompressed file may begin like that, too. Therefore the first block must unpack, unless the
// file name shows the compression
// (".gz", ".xz", ".zst" and the like).
absl::StatusOr<std::unique_ptr<Decoder>> NewDecoder(const OpenFile& file);

// Whether NewDecoder() would find a decoder.
absl::StatusOr<bool> IsCompressed(const OpenFile& file);

}  // namespace tidemill::storage
