#include "records/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace tidemill {

namespace {

// The polynomial with its bits in reverse.
constexpr uint32_t kPolynomial = 0x82f63b78;

// The sum of each single byte, from a sum of zero.
constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? kPolynomial : 0);
    table[byte] = sum;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kTable = MakeTable();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t ExtendByInstruction(uint32_t crc,
                                                               std::string_view bytes) {
  uint64_t sum = ~crc;
  while (bytes.size() >= sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof(word));
    sum = _mm_crc32_u64(sum, word);
    bytes.remove_prefix(sizeof(word));
  }
  auto narrow = static_cast<uint32_t>(sum);
  for (const char byte : bytes) narrow = _mm_crc32_u8(narrow, static_cast<unsigned char>(byte));
  return ~narrow;
}
#endif

}  // namespace

uint32_t ExtendCrc32cByTable(uint32_t crc, std::string_view bytes) {
  uint32_t sum = ~crc;
  for (const char byte : bytes) {
    sum = kTable[(sum ^ static_cast<unsigned char>(byte)) & 0xff] ^ (sum >> 8);
  }
  return ~sum;
}

uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return ExtendByInstruction(crc, bytes);
#endif
  return ExtendCrc32cByTable(crc, bytes);
}

uint32_t Crc32c(std::string_view bytes) { return ExtendCrc32c(0, bytes); }

}  // namespace tidemill
