// Counts the words of texts in any language.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill {

struct WordCount {
  int64_t words = 0;
  int64_t undivided = 0;  // Letters of scripts without blanks between words.
};

// Counts words: runs between blanks. Scripts without blanks, such as Chinese, Japanese and Thai,
// count as a word for each two letters, about as long as their words are.
WordCount CountWords(std::string_view text);

}  // namespace tidemill
