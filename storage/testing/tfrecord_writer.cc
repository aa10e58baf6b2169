#include "storage/testing/tfrecord_writer.h"

namespace tidemill::storage::testing {

namespace {

std::string LittleEndian(uint64_t number, int width) {
  std::string bytes;
  for (int i = 0; i < width; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

// CRC-32C bit by bit, masked.
std::string Sum(const std::string& bytes) {
  uint32_t sum = 0xffffffff;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ (sum % 2 == 1 ? 0x82f63b78U : 0);
  }
  sum = ~sum;
  return LittleEndian(((sum >> 15) | (sum << 17)) + 0xa282ead8U, 4);
}

std::string Varint(uint64_t number) {
  std::string bytes;
  for (; number > 0x7f; number >>= 7) bytes += static_cast<char>((number & 0x7f) | 0x80);
  return bytes + static_cast<char>(number);
}

// A field of a message that is a text or a message itself.
std::string Part(int field, const std::string& bytes) {
  return static_cast<char>(field << 3 | 2) + Varint(bytes.size()) + bytes;
}

std::string Entry(const std::string& name, int kind, const std::string& list) {
  return Part(1, Part(1, name) + Part(2, Part(kind, list)));
}

}  // namespace

std::string TfRecord(const std::string& bytes) {
  const std::string length = LittleEndian(bytes.size(), 8);
  return length + Sum(length) + bytes + Sum(bytes);
}

std::string TfExample(const ExampleContent& content) {
  std::string features;
  for (const auto& [name, number] : content.ints) {
    features += Entry(name, 3, Part(1, Varint(static_cast<uint64_t>(number))));
  }
  for (const auto& [name, text] : content.bytes) features += Entry(name, 1, Part(1, text));
  return Part(1, features);
}

}  // namespace tidemill::storage::testing
