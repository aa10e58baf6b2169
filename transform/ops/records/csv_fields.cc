#include "transform/ops/records/csv_fields.h"

#include "records/csv_quotes.h"

namespace tidemill::transform {

CsvFields::CsvFields(const batch::CsvDialect& dialect, size_t num_fields)
    : punctuation_(dialect), fields_(num_fields) {}

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
    const size_t first = punctuation_.SkipBlanks(record, begin);
    if (punctuation_.IsQuote(record, first)) {
      const std::optional<size_t> after = SplitQuoted(record, first);
      if (!after.has_value()) return Result::kBadQuote;
      end = *after;
    } else {
      end = punctuation_.FindDelimiter(record, begin);
      Append(punctuation_.Trimmed(record.substr(begin, end - begin)));
    }
    if (end == record.size()) break;
    begin = end + punctuation_.delimiter_bytes();
  }
  return num_found_ == fields_.size() ? Result::kOk : Result::kWrongCount;
}

std::optional<size_t> CsvFields::SplitQuoted(std::string_view record, size_t begin) {
  const size_t close = FindClosingQuote(record, begin + 1, *punctuation_.quote());
  if (close == std::string_view::npos) return std::nullopt;
  const size_t next = punctuation_.SkipBlanks(record, close + 1);
  if (next < record.size() && !punctuation_.IsDelimiter(record, next)) return std::nullopt;
  const size_t start = unquoted_.size();
  AppendUnquoted(record.substr(begin + 1, close - begin - 1), *punctuation_.quote(), unquoted_);
  Append(std::string_view(unquoted_).substr(start));
  return next;
}

}  // namespace tidemill::transform
