#include <zstd.h>

#include "storage/compression/zstd_decoder.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/unpacking.h"

namespace tidemill::fuzz {

namespace {

std::string Pack(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3);
  Promise(ZSTD_isError(size) == 0, "a seed is packed");
  packed.resize(size);
  return packed;
}

}  // namespace

std::vector<std::string> Seeds() {
  return {Pack("some text, some text"), Pack("one") + Pack("") + Pack("two"),
          std::string("\x50\x2a\x4d\x18\x03\0\0\0abc", 11) + Pack(std::string(5000, 'x'))};
}

void Try(std::string_view input) { TryDecoder(storage::NewZstdDecoder, input); }

}  // namespace tidemill::fuzz
