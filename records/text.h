// Converts text from files to text that can be stored.
#pragma once

#include <string>
#include <string_view>

#include "base/printable.h"

namespace tidemill {

// A file in UTF-8 may begin with it. It is not a part of the first record.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Whether there is nothing but blanks and line ends.
inline bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Whether PostgreSQL accepts the bytes as a text: UTF-8 without zero bytes.
bool IsText(std::string_view bytes);

// Returns the bytes as a text of at most `max_bytes`. Each byte that is not valid is replaced by a
// text such as "\xe9".
std::string AsText(std::string_view bytes, size_t max_bytes = 500);

}  // namespace tidemill
