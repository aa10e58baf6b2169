#include "storage/compression/gzip_decoder.h"

#include <zlib.h>

namespace tidemill::storage {

namespace {

class GzipDecoder : public StreamDecoder {
 public:
  GzipDecoder() : ready_(inflateInit2(&stream_, 15 + 16) == Z_OK) {}  // 16: gzip only.
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;
  ~GzipDecoder() override { inflateEnd(&stream_); }

  bool ready() const { return ready_; }

  absl::StatusOr<Progress> Decode(std::string_view in, std::span<char> out) override {
    if (in.empty() && at_end_) return Progress{};
    if (at_end_) inflateReset(&stream_);  // Another member follows.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      return DataLoss("is not valid gzip: {}", stream_.msg ? stream_.msg : "bad data");
    }
    at_end_ = code == Z_STREAM_END;
    return Progress{in.size() - stream_.avail_in, out.size() - stream_.avail_out};
  }

  bool at_end() const override { return at_end_; }

 private:
  z_stream stream_ = {};
  const bool ready_;
  bool at_end_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<StreamDecoder>> NewGzipDecoder() {
  auto decoder = std::make_unique<GzipDecoder>();
  if (!decoder->ready()) return ResourceExhausted("not enough memory to unpack gzip");
  return decoder;
}

}  // namespace tidemill::storage
