#include "storage/text.h"

#include <cstdint>

namespace tidemill::storage {

namespace {

// Bytes of the character at the front, 0 when there is none that is sound.
size_t CharacterBytes(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes.front());
  if (lead < 0x80) return lead == 0 ? 0 : 1;
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || bytes.size() < size) return 0;
  uint32_t code = lead & (0x7fU >> size);
  for (size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(bytes[i]);
    if ((next & 0xc0) != 0x80) return 0;
    code = code << 6 | (next & 0x3f);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return overlong || surrogate || code > 0x10ffff ? 0 : size;
}

}  // namespace

bool IsText(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t size = CharacterBytes(bytes);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

std::string AsText(std::string_view bytes, size_t max_bytes) {
  std::string text;
  while (!bytes.empty()) {
    const size_t size = CharacterBytes(bytes);
    if (text.size() + (size == 0 ? 1 : size) > max_bytes) break;
    if (size == 0) {
      text += '?';
    } else {
      text += bytes.substr(0, size);
    }
    bytes.remove_prefix(size == 0 ? 1 : size);
  }
  return text;
}

}  // namespace tidemill::storage
