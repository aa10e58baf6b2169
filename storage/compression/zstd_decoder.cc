#include "storage/compression/zstd_decoder.h"

#define ZSTD_STATIC_LINKING_ONLY  // ZSTD_FRAMEHEADERSIZE_MAX
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <string>

namespace tidemill::storage {

namespace {

class ZstdDecoder : public StreamDecoder {
 public:
  ZstdDecoder() : stream_(ZSTD_createDStream()) {}
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }

  bool ready() const { return stream_ != nullptr; }

  absl::StatusOr<Progress> Decode(std::string_view in, std::span<char> out) override {
    if (in.empty() && at_end_) return Progress{};
    if (at_end_) StartFrame();
    ZSTD_inBuffer from = {.src = in.data(), .size = in.size(), .pos = 0};
    ZSTD_outBuffer into = {.dst = out.data(), .size = out.size(), .pos = 0};
    const size_t left = ZSTD_decompressStream(stream_, &into, &from);
    if (ZSTD_isError(left) != 0) {
      const ZSTD_ErrorCode code = ZSTD_getErrorCode(left);
      if (code == ZSTD_error_frameParameter_windowTooLarge ||
          code == ZSTD_error_memory_allocation) {
        // zstd's own limit without --long: a window of 128 MiB.
        return ResourceExhausted("needs too much memory to unpack; write it without --long");
      }
      return DataLoss("is not valid zstd: {}", ZSTD_getErrorName(left));
    }
    const size_t missing = ZSTD_FRAMEHEADERSIZE_MAX - header_.size();
    header_ += in.substr(0, std::min(from.pos, missing));
    num_made_ += into.pos;
    at_end_ = left == 0;
    if (at_end_) RETURN_IF_ERROR(CheckSize());
    return Progress{from.pos, into.pos};
  }

  bool at_end() const override { return at_end_; }

 private:
  void StartFrame() {
    header_.clear();
    num_made_ = 0;
  }

  // Fed in pieces, zstd itself does not compare the size that a frame states with what it holds
  // when the last block is empty.
  absl::Status CheckSize() const {
    const unsigned long long stated = ZSTD_getFrameContentSize(header_.data(), header_.size());
    if (stated == ZSTD_CONTENTSIZE_UNKNOWN || stated == ZSTD_CONTENTSIZE_ERROR ||
        stated == num_made_) {
      return absl::OkStatus();
    }
    return DataLoss("is not valid zstd: a frame holds {} bytes but states {}", num_made_, stated);
  }

  ZSTD_DStream* const stream_;
  bool at_end_ = false;
  std::string header_;               // The first bytes of the frame.
  unsigned long long num_made_ = 0;  // The bytes of the frame so far.
};

}  // namespace

absl::StatusOr<std::unique_ptr<StreamDecoder>> NewZstdDecoder() {
  auto decoder = std::make_unique<ZstdDecoder>();
  if (!decoder->ready()) return ResourceExhausted("not enough memory to unpack zstd");
  return decoder;
}

}  // namespace tidemill::storage
