#include "transform/ops/csv_fields.h"

#include "records/csv_quotes.h"

namespace tidemill::transform {

CsvFields::CsvFields(char delimiter, std::optional<char> quote, size_t num_fields)
    : delimiter_(delimiter), quote_(quote), fields_(num_fields) {}

void CsvFields::Append(std::string_view field) {
  if (num_found_ < fields_.size()) fields_[num_found_] = field;
  ++num_found_;
}

CsvFields::Result CsvFields::Split(std::string_view record) {
  num_found_ = 0;
  unquoted_.clear();
  // All unquoted fields together are no longer than the record, so views of them stay good.
  if (unquoted_.capacity() < record.size()) unquoted_.reserve(record.size());
  size_t begin = 0;
  while (true) {
    size_t end = begin;
    if (quote_.has_value() && begin < record.size() && record[begin] == *quote_) {
      const std::optional<size_t> after = SplitQuoted(record, begin);
      if (!after.has_value()) return Result::kBadQuote;
      end = *after;
    } else {
      while (end < record.size() && record[end] != delimiter_) ++end;
      Append(record.substr(begin, end - begin));
    }
    if (end == record.size()) break;
    begin = end + 1;
  }
  return num_found_ == fields_.size() ? Result::kOk : Result::kWrongCount;
}

std::optional<size_t> CsvFields::SplitQuoted(std::string_view record, size_t begin) {
  const size_t close = FindClosingQuote(record, begin + 1, *quote_);
  if (close == std::string_view::npos) return std::nullopt;
  const size_t next = close + 1;
  if (next < record.size() && record[next] != delimiter_) return std::nullopt;
  const size_t start = unquoted_.size();
  AppendUnquoted(record.substr(begin + 1, close - begin - 1), *quote_, unquoted_);
  Append(std::string_view(unquoted_).substr(start));
  return next;
}

}  // namespace tidemill::transform
