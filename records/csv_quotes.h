// What quotes mean in CSV, after RFC 4180: a quoted field closes at the first quote that is not
// doubled, and a doubled quote in it stands for one. All that reads CSV asks here.
#pragma once

#include <string>
#include <string_view>

namespace tidemill {

// Where the quoted field that begins right before `from` closes: the place of its last quote.
// std::string_view::npos where it does not.
inline size_t FindClosingQuote(std::string_view text, size_t from, char quote) {
  size_t close = text.find(quote, from);
  while (close != std::string_view::npos && close + 1 < text.size() && text[close + 1] == quote) {
    close = text.find(quote, close + 2);
  }
  return close;
}

// Appends what is meant by what stands between the quotes of a field.
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
