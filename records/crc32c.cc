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
// The instruction takes a word each cycle, and its result after three: three runs of words are
// summed side by side, and their sums joined.
constexpr size_t kRunBytes = 2048;

// Appends kRunBytes zeros to sums. That is linear in the bits of a sum.
class ZeroRun {
 public:
  __attribute__((target("sse4.2"))) ZeroRun() {
    for (size_t byte = 0; byte < 4; ++byte) {
      for (size_t bit = 0; bit < 8; ++bit) {
        uint64_t sum = uint64_t{1} << (8 * byte + bit);
        for (size_t at = 0; at < kRunBytes; at += 8) sum = _mm_crc32_u64(sum, 0);
        // All bytes whose highest bit this is.
        for (size_t lower = 0; lower < size_t{1} << bit; ++lower) {
          tables_[byte][(size_t{1} << bit) + lower] =
              static_cast<uint32_t>(sum) ^ tables_[byte][lower];
        }
      }
    }
  }
  uint64_t After(uint64_t sum) const {
    return tables_[0][sum & 0xff] ^ tables_[1][sum >> 8 & 0xff] ^ tables_[2][sum >> 16 & 0xff] ^
           tables_[3][sum >> 24 & 0xff];
  }

 private:
  uint32_t tables_[4][256] = {};
};

__attribute__((target("sse4.2"))) uint64_t ExtendByRuns(uint64_t sum, std::string_view& bytes) {
  static const ZeroRun zeros;
  while (bytes.size() >= 3 * kRunBytes) {
    uint64_t second = 0;
    uint64_t third = 0;
    for (size_t at = 0; at < kRunBytes; at += sizeof(uint64_t)) {
      uint64_t words[3];
      std::memcpy(&words[0], bytes.data() + at, sizeof(uint64_t));
      std::memcpy(&words[1], bytes.data() + at + kRunBytes, sizeof(uint64_t));
      std::memcpy(&words[2], bytes.data() + at + 2 * kRunBytes, sizeof(uint64_t));
      sum = _mm_crc32_u64(sum, words[0]);
      second = _mm_crc32_u64(second, words[1]);
      third = _mm_crc32_u64(third, words[2]);
    }
    sum = zeros.After(zeros.After(sum) ^ second) ^ third;
    bytes.remove_prefix(3 * kRunBytes);
  }
  return sum;
}

__attribute__((target("sse4.2"))) uint32_t ExtendByInstruction(uint32_t crc,
                                                               std::string_view bytes) {
  uint64_t sum = ExtendByRuns(~crc, bytes);
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
