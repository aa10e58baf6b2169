#include "storage/compression/xz_decoder.h"

#include <lzma.h>

namespace tidemill::storage {

namespace {

// `xz -9` needs 65 MiB; a file may ask for 4 GiB.
constexpr uint64_t kMaxMemory = uint64_t{256} << 20;

class XzDecoder : public StreamDecoder {
 public:
  XzDecoder() : ready_(Begin()) {}
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;
  ~XzDecoder() override { lzma_end(&stream_); }

  bool ready() const { return ready_; }

  absl::StatusOr<Progress> Decode(std::string_view in, std::span<char> out) override {
    if (in.empty() && at_end_) return Progress{};
    if (at_end_ && !Begin()) return ResourceExhausted("not enough memory to unpack xz");
    stream_.next_in = reinterpret_cast<const uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
    if (code == LZMA_MEMLIMIT_ERROR || code == LZMA_MEM_ERROR) {
      return ResourceExhausted("needs more than {} MiB of memory to unpack", kMaxMemory >> 20);
    }
    if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR) {
      return DataLoss("is not valid xz: {}", Explain(code));
    }
    at_end_ = code == LZMA_STREAM_END;
    return Progress{in.size() - stream_.avail_in, out.size() - stream_.avail_out};
  }

  bool at_end() const override { return at_end_; }

 private:
  // Begins a stream, and gives back what the one before it needed.
  bool Begin() { return lzma_stream_decoder(&stream_, kMaxMemory, 0) == LZMA_OK; }

  static const char* Explain(lzma_ret code) {
    if (code == LZMA_OPTIONS_ERROR) return "it uses options that this program does not know";
    return "bad data";
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
  const bool ready_;
  bool at_end_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<StreamDecoder>> NewXzDecoder() {
  auto decoder = std::make_unique<XzDecoder>();
  if (!decoder->ready()) return ResourceExhausted("not enough memory to unpack xz");
  return decoder;
}

}  // namespace tidemill::storage
