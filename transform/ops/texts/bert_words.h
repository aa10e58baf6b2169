// Splits texts into words as the basic tokenizer of BERT does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::transform {

// White space separates words. Each punctuation mark and each Chinese character is a separate word.
// Control characters (Unicode categories Cc and Cf), U+0000, U+FFFD and bytes that are not UTF-8
// are left out. Punctuation is the Unicode category P, and all marks of ASCII except letters and
// digits. Reuses its memory from text to text. Thread-compatible.
class BertWords {
 public:
  // With `lowercase`, letters become lower-case, one by one, by Unicode's simple mapping. They are
  // decomposed then (NFD), and accents (category Mn) are left out.
  explicit BertWords(bool lowercase) : lowercase_(lowercase) {}

  // Splits off the first `max_words` words of a text.
  void Split(std::string_view text, int64_t max_words);

  int64_t size() const { return static_cast<int64_t>(words_.size()); }
  // The view is valid until the next Split().
  std::string_view Word(int64_t place) const {
    return std::string_view(text_).substr(words_[place].begin, words_[place].size);
  }

 private:
  struct Range {
    size_t begin;
    size_t size;
  };

  void Take(int32_t code);
  void TakeLowered(int32_t code);
  // Adds a character to the last word, or to a new one.
  void Add(int32_t code);
  void AddAlone(int32_t code);

  const bool lowercase_;
  bool in_word_ = false;
  std::string text_;  // The words without anything between them.
  std::vector<Range> words_;
};

}  // namespace tidemill::transform
