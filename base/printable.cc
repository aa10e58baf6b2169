#include "base/printable.h"

#include <cstdint>

#include "fmt/format.h"

namespace tidemill {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// In ascending order. The joiners U+200C and U+200D are not among them: scripts and emojis need
// them, and they change nothing around them.
constexpr Range kUnseen[] = {
    {0x00, 0x1f},        // Controls.
    {0x7f, 0x9f},        // Delete and more controls.
    {0xad, 0xad},        // Soft hyphen.
    {0x61c, 0x61c},      // Direction of Arabic letters.
    {0x180e, 0x180e},    // Mongolian vowel separator.
    {0x200b, 0x200b},    // A blank of no width.
    {0x200e, 0x200f},    // Marks of direction.
    {0x2028, 0x202e},    // Line and paragraph separators, embeddings and overrides of direction.
    {0x2060, 0x206f},    // Invisible operators, isolates of direction.
    {0xfeff, 0xfeff},    // Byte order mark.
    {0xfff9, 0xfffb},    // Annotations.
    {0xe0000, 0xe0fff},  // Tags.
};

bool IsSeen(char32_t code) {
  for (const Range& range : kUnseen) {
    if (code < range.first) return true;
    if (code <= range.last) return false;
  }
  return true;
}

}  // namespace

std::optional<Utf8Character> FirstCharacter(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  const auto lead = static_cast<unsigned char>(bytes.front());
  if (lead < 0x80) return Utf8Character{.code = lead, .num_bytes = 1};
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || bytes.size() < size) return std::nullopt;
  char32_t code = lead & (0x7fU >> size);
  for (size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(bytes[i]);
    if ((next & 0xc0) != 0x80) return std::nullopt;
    code = code << 6 | (next & 0x3f);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (overlong || surrogate || code > 0x10ffff) return std::nullopt;
  return Utf8Character{.code = code, .num_bytes = size};
}

std::string Printable(std::string_view text, std::string_view keep) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::optional<Utf8Character> next = FirstCharacter(text);
    const std::string_view bytes = text.substr(0, next ? next->num_bytes : 1);
    text.remove_prefix(bytes.size());
    if ((next && IsSeen(next->code)) || keep.find(bytes) != std::string_view::npos) {
      shown += bytes;
    } else if (bytes == "\n") {
      shown += "\\n";
    } else {
      for (const char byte : bytes) {
        shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
      }
    }
  }
  return shown;
}

std::string_view WholeCharacters(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  constexpr size_t kMaxBytes = 4;
  for (size_t end = most; end > 0 && end + kMaxBytes > most; --end) {
    // A character that begins where the text is cut is not in two parts.
    if ((static_cast<unsigned char>(text[end]) & 0xc0) != 0x80) return text.substr(0, end);
  }
  return text.substr(0, most);
}

std::string Quoted(std::string_view text) {
  constexpr size_t kMaxShown = 40;
  const std::string_view shown = WholeCharacters(text, kMaxShown);
  return "'" + Printable(shown) + (shown.size() < text.size() ? "..." : "") + "'";
}

bool IsPrintable(std::string_view text) {
  while (!text.empty()) {
    const std::optional<Utf8Character> next = FirstCharacter(text);
    if (!next || !IsSeen(next->code)) return false;
    text.remove_prefix(next->num_bytes);
  }
  return true;
}

}  // namespace tidemill
