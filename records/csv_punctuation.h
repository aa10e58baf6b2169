// The bytes of CSV text that are not data: delimiters, quotes, line ends, and blanks around fields.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "batch/csv_dialect.h"

namespace tidemill {

// Finds them as a dialect defines them. A line ends with \n, with \r\n or with \r. Thread-safe.
class CsvPunctuation {
 public:
  explicit CsvPunctuation(const batch::CsvDialect& dialect)
      : delimiter_(dialect.delimiter), quote_(dialect.quote), trim_(dialect.trim) {
    ends_field_[static_cast<unsigned char>(delimiter_.front())] = true;
    ends_line_['\n'] = ends_line_['\r'] = true;
    for (size_t byte = 0; byte < 256; ++byte) ends_line_[byte] |= ends_field_[byte];
  }

  std::optional<char> quote() const { return quote_; }
  size_t delimiter_bytes() const { return delimiter_.size(); }

  bool IsQuote(std::string_view text, size_t at) const {
    return quote_ && at < text.size() && text[at] == *quote_;
  }
  bool IsDelimiter(std::string_view text, size_t at) const {
    return text[at] == delimiter_.front() &&
           (delimiter_.size() == 1 || text.substr(at).starts_with(delimiter_));
  }

  // Returns the place of the next delimiter; text.size() when there is none.
  size_t FindDelimiter(std::string_view text, size_t at) const {
    return Find(ends_field_, text, at);
  }
  // Returns the place of the next delimiter or line end; text.size() when there is none.
  size_t FindFieldEnd(std::string_view text, size_t at) const { return Find(ends_line_, text, at); }

  // Returns the place of the first byte that is not a blank, if the dialect trims; else `at`.
  size_t SkipBlanks(std::string_view text, size_t at) const {
    if (!trim_) return at;
    while (at < text.size() && IsBlank(text[at])) ++at;
    return at;
  }
  // Returns a plain field without the blanks around it, if the dialect trims.
  std::string_view Trimmed(std::string_view field) const {
    if (!trim_) return field;
    field.remove_prefix(SkipBlanks(field, 0));
    while (!field.empty() && IsBlank(field.back())) field.remove_suffix(1);
    return field;
  }

 private:
  using Bytes = std::array<bool, 256>;

  bool IsBlank(char c) const { return (c == ' ' || c == '\t') && c != delimiter_.front(); }

  size_t Find(const Bytes& ends, std::string_view text, size_t at) const {
    for (; at < text.size(); ++at) {
      if (!ends[static_cast<unsigned char>(text[at])]) continue;
      if (!ends_field_[static_cast<unsigned char>(text[at])] || IsDelimiter(text, at)) break;
    }
    return at;
  }

  const std::string delimiter_;
  const std::optional<char> quote_;
  const bool trim_;
  Bytes ends_field_ = {};
  Bytes ends_line_ = {};  // A field or a line.
};

// Returns the place after the first line end from `at` on; std::string_view::npos when there is
// none.
size_t NextLine(std::string_view text, size_t at);

}  // namespace tidemill
