#include "transform/ops/records/csv_rows.h"

#include <algorithm>

#include "records/csv_quotes.h"

namespace tidemill::transform {

std::span<const std::string_view> CsvRows::Split(std::string_view payload) {
  rows_.clear();
  const std::optional<char> quote = punctuation_.quote();
  const bool has_quotes = quote && payload.find(*quote) != std::string_view::npos;
  const bool has_returns = payload.find('\r') != std::string_view::npos;
  const auto line_end_from = [&](size_t at) {
    if (has_quotes) return EndOf(payload, at);
    return has_returns ? payload.find_first_of("\r\n", at) : payload.find('\n', at);
  };
  size_t begin = 0;
  while (begin < payload.size()) {
    const size_t line_end = line_end_from(begin);
    const size_t end = std::min(line_end, payload.size());
    if (end > begin) rows_.push_back(payload.substr(begin, end - begin));
    begin = end + 1;
  }
  return rows_;
}

size_t CsvRows::EndOf(std::string_view payload, size_t begin) const {
  size_t at = begin;
  while (at < payload.size()) {
    const size_t first = punctuation_.SkipBlanks(payload, at);
    if (punctuation_.IsQuote(payload, first)) {
      const size_t close = FindClosingQuote(payload, first + 1, *punctuation_.quote());
      if (close == std::string_view::npos) return payload.size();
      at = close + 1;
    }
    at = punctuation_.FindFieldEnd(payload, at);
    if (at == payload.size() || !punctuation_.IsDelimiter(payload, at)) return at;
    at += punctuation_.delimiter_bytes();
  }
  return payload.size();
}

}  // namespace tidemill::transform
