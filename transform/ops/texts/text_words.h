// Splits texts into words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::transform {

// A word is a run of letters, marks and digits of any script (Unicode categories L, M and N).
// Format characters (Cf), such as soft hyphens and joiners, are left out: they neither separate
// words nor make them differ. Everything else separates words, including the zero width space and
// bytes that are not UTF-8. Composed and decomposed letters differ. Reuses its memory from text to
// text. Thread-compatible.
class TextWords {
 public:
  // With `lowercase`, letters become lower-case, one by one, by Unicode's simple mapping.
  explicit TextWords(bool lowercase) : lowercase_(lowercase) {}

  void Split(std::string_view text);

  int64_t size() const { return static_cast<int64_t>(words_.size()); }
  // Returns the words first to first + count - 1, with one blank between neighbours. The view is
  // valid until the next Split().
  std::string_view Run(int64_t first, int64_t count) const;

  // Calls body(run) for each word, then for each two neighbours, and so on up to `max_count`
  // neighbours. It makes at most `limit` calls.
  template <typename Body>
  void ForEachRun(int64_t max_count, int64_t limit, Body&& body) const {
    for (int64_t count = 1; count <= max_count; ++count) {
      for (int64_t first = 0; first + count <= size(); ++first) {
        if (limit-- == 0) return;
        body(Run(first, count));
      }
    }
  }

 private:
  struct Word {
    size_t begin;
    size_t end;
  };

  const bool lowercase_;
  std::string text_;  // The words, with a blank between each two.
  std::vector<Word> words_;
};

}  // namespace tidemill::transform
