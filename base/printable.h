// Texts of strangers, made safe to show in one line of a terminal, a log or a message.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tidemill {

// One character of UTF-8.
struct Utf8Character {
  char32_t code = 0;
  size_t num_bytes = 0;
};

// The character at the front of `bytes`; std::nullopt when they are empty or do not begin with a
// sound one.
std::optional<Utf8Character> FirstCharacter(std::string_view bytes);

// Replaces what would not be seen as it is, byte by byte as "\x1b": control characters, characters
// that turn the direction of what follows or that take no room, and bytes that are no UTF-8. A line
// feed becomes "\n", unless it stands in `keep`, whose ASCII characters stay as they are.
std::string Printable(std::string_view text, std::string_view keep = "");

// UTF-8, all of which is seen as it is.
bool IsPrintable(std::string_view text);

}  // namespace tidemill
