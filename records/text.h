// Texts from files, made fit to be stored as texts.
#pragma once

#include <string>
#include <string_view>

namespace tidemill {

// What a file in UTF-8 may begin with: no part of its first record.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Whether PostgreSQL takes the bytes for a text: UTF-8 without zero bytes.
bool IsText(std::string_view bytes);

// The bytes as a text of at most `max_bytes`, each byte that does not fit in replaced by '?'.
std::string AsText(std::string_view bytes, size_t max_bytes = 500);

// The bytes between quotes for a message, as base/printable.h shows them, cut where they are long.
std::string Quoted(std::string_view bytes);

}  // namespace tidemill
