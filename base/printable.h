// Makes untrusted text safe to show in one line of a terminal, a log or a message.
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

// Returns the character at the front of `bytes`. std::nullopt when they are empty or do not begin
// with a valid character.
std::optional<Utf8Character> FirstCharacter(std::string_view bytes);

// Replaces everything that would not be shown literally, byte by byte, by texts such as "\x1b":
// control characters, characters that change the direction of the following text or have no width,
// and bytes that are not UTF-8. A line feed becomes "\n". The ASCII characters in `keep` are kept.
std::string Printable(std::string_view text, std::string_view keep = "");

// Returns the front of the text that has at most `most` bytes and cuts no character of UTF-8.
std::string_view WholeCharacters(std::string_view text, size_t most);

// Returns the text between single quotes for a message, made printable, cut when it is long.
std::string Quoted(std::string_view text);

// Whether the text is UTF-8 that can be shown unchanged.
bool IsPrintable(std::string_view text);

}  // namespace tidemill
