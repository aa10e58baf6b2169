#include <lzma.h>

#include "storage/compression/xz_decoder.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/unpacking.h"

namespace tidemill::fuzz {

namespace {

std::string Pack(const std::string& bytes, lzma_check check) {
  std::string packed(lzma_stream_buffer_bound(bytes.size()), '\0');
  size_t size = 0;
  const lzma_ret code = lzma_easy_buffer_encode(
      0, check, nullptr, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
      reinterpret_cast<uint8_t*>(packed.data()), &size, packed.size());
  Promise(code == LZMA_OK, "a seed is packed");
  packed.resize(size);
  return packed;
}

}  // namespace

std::vector<std::string> Seeds() {
  return {Pack("some text, some text", LZMA_CHECK_NONE),
          Pack("one", LZMA_CHECK_CRC32) + std::string(4, '\0') + Pack("two", LZMA_CHECK_CRC64),
          Pack(std::string(5000, 'x'), LZMA_CHECK_NONE)};
}

void Try(std::string_view input) { TryDecoder(storage::NewXzDecoder, input); }

}  // namespace tidemill::fuzz
