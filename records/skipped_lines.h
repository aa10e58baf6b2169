// Skips the first lines of a file, such as comments before a header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidemill {

// Takes a file piece by piece. A line ends with \n, with \r\n or with \r. Thread-compatible.
class SkippedLines {
 public:
  explicit SkippedLines(int64_t num_lines) : num_left_(num_lines) {}

  // Returns the size of the part of `text` that is skipped. `last`: the text ends with the file.
  // While IsDone() is false, what follows must come at the next call, with what was not skipped.
  size_t Skip(std::string_view text, bool last) {
    size_t at = 0;
    while (num_left_ > 0 && at < text.size()) {
      const size_t end = text.find_first_of("\r\n", at);
      if (end == std::string_view::npos) return text.size();
      const bool returns = text[end] == '\r';
      // The other half of the line end may be in the next piece.
      if (returns && end + 1 == text.size() && !last) return end;
      at = end + 1;
      if (returns && at < text.size() && text[at] == '\n') ++at;
      --num_left_;
    }
    return at;
  }

  bool IsDone() const { return num_left_ == 0; }

 private:
  int64_t num_left_;
};

}  // namespace tidemill
