#include "records/columns/word_count.h"

#include <cstddef>

namespace tidemill {
namespace {

// The character at the front of valid UTF-8, and how many bytes it has.
struct Character {
  char32_t code = 0;
  size_t num_bytes = 1;
};

Character FirstOf(std::string_view text) {
  const auto byte = [&](size_t place) { return static_cast<unsigned char>(text[place]); };
  const size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : byte(0) >= 0xc0 ? 2 : 1;
  if (size == 1 || size > text.size()) return {byte(0), 1};
  char32_t code = byte(0) & (0xff >> (size + 1));
  for (size_t place = 1; place < size; ++place) code = code << 6 | (byte(place) & 0x3f);
  return {code, size};
}

// Han, kana, Thai, Lao, Burmese and Khmer.
bool IsUndivided(char32_t code) {
  return (code >= 0x0e00 && code <= 0x0eff) || (code >= 0x1000 && code <= 0x109f) ||
         (code >= 0x1780 && code <= 0x17ff) || (code >= 0x3040 && code <= 0x30ff) ||
         (code >= 0x3400 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff) ||
         (code >= 0x20000 && code <= 0x3ffff);
}

}  // namespace

WordCount CountWords(std::string_view text) {
  WordCount found;
  bool within = false;
  while (!text.empty()) {
    const Character next = FirstOf(text);
    text.remove_prefix(next.num_bytes);
    const bool undivided = next.code >= 0x0e00 && IsUndivided(next.code);
    const bool blank = next.code == ' ' || next.code == '\t' || next.code == '\n' ||
                       next.code == '\r' || next.code == 0x3000;
    found.undivided += undivided;
    found.words += !blank && !undivided && !within;
    within = !blank && !undivided;
  }
  found.words += (found.undivided + 1) / 2;
  return found;
}

}  // namespace tidemill
