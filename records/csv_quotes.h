// The meaning of quotes in CSV, after RFC 4180. A quoted field closes at the first quote that is
// not doubled. A doubled quote in it stands for one. All code that reads CSV uses this.
#pragma once

#include <string>
#include <string_view>

namespace tidemill {

// Returns the place of the quote that closes the quoted field that begins right before `from`.
// std::string_view::npos when it does not close.
inline size_t FindClosingQuote(std::string_view text, size_t from, char quote) {
  size_t close = text.find(quote, from);
  while (close != std::string_view::npos && close + 1 < text.size() && text[close + 1] == quote) {
    close = text.find(quote, close + 2);
  }
  return close;
}

// Appends the meaning of the text between the quotes of a field.
inline void AppendUnquoted(std::string_view content, char quote, std::string& to) {
  size_t begin = 0;
  for (size_t at = content.find(quote); at != std::string_view::npos;
       at = content.find(quote, begin)) {
    to.append(content, begin, at + 1 - begin);
    begin = at + 2;
    if (begin >= content.size()) return;
  }
  to.append(content, begin);
}

}  // namespace tidemill
