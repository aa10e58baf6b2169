#include "transform/ops/csv_rows.h"

#include <algorithm>

#include "records/csv_quotes.h"

namespace tidemill::transform {

std::span<const std::string_view> CsvRows::Split(std::string_view payload) {
  rows_.clear();
  const bool has_quotes = quote_.has_value() && payload.find(*quote_) != std::string_view::npos;
  size_t begin = 0;
  while (begin < payload.size()) {
    const size_t line_end = has_quotes ? EndOf(payload, begin) : payload.find('\n', begin);
    const size_t end = std::min(line_end, payload.size());
    std::string_view row = payload.substr(begin, end - begin);
    if (end < payload.size() && row.ends_with('\r')) row.remove_suffix(1);
    if (!row.empty()) rows_.push_back(row);
    begin = end + 1;
  }
  return rows_;
}

size_t CsvRows::EndOf(std::string_view payload, size_t begin) const {
  size_t at = begin;
  while (at < payload.size()) {
    if (payload[at] == *quote_) {
      const size_t close = FindClosingQuote(payload, at + 1, *quote_);
      if (close == std::string_view::npos) return payload.size();
      at = close + 1;
    }
    while (at < payload.size() && payload[at] != delimiter_ && payload[at] != '\n') ++at;
    if (at < payload.size() && payload[at] == '\n') return at;
    ++at;
  }
  return payload.size();
}

}  // namespace tidemill::transform
