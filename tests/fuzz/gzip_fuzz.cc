#include <zlib.h>

#include "storage/compression/gzip_decoder.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/unpacking.h"

namespace tidemill::fuzz {

namespace {

std::string Pack(std::string bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

std::vector<std::string> Seeds() {
  return {Pack("some text, some text"), Pack("") + Pack("two"), Pack(std::string(5000, 'x'))};
}

void Try(std::string_view input) { TryDecoder(storage::NewGzipDecoder, input); }

}  // namespace tidemill::fuzz
