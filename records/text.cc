#include "records/text.h"

#include <optional>

#include "fmt/format.h"

namespace tidemill {

namespace {

constexpr size_t kReplacedBytes = 4;  // "\xe9" has four.

// Bytes of the character at the front, 0 when PostgreSQL would not accept it.
size_t CharacterBytes(std::string_view bytes) {
  const std::optional<Utf8Character> first = FirstCharacter(bytes);
  return first && first->code != 0 ? first->num_bytes : 0;
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
    if (text.size() + (size == 0 ? kReplacedBytes : size) > max_bytes) break;
    if (size == 0) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.front()));
    } else {
      text += bytes.substr(0, size);
    }
    bytes.remove_prefix(size == 0 ? 1 : size);
  }
  return text;
}

}  // namespace tidemill
