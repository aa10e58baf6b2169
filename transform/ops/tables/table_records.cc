#include "transform/ops/tables/table_records.h"

#include <algorithm>

#include "records/text.h"

namespace tidemill::transform {
namespace {

std::string_view WithoutMark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

}  // namespace

TableRecords::TableRecords(std::string_view text, const batch::CsvDialect& dialect)
    : dialect_(dialect),
      splitter_(dialect, /*max_record=*/text.size()),
      rest_(WithoutMark(text)),
      line_end_(text.find('\n') == std::string_view::npos ? '\r' : '\n') {}

bool TableRecords::Next() {
  while (!rest_.empty()) {
    splitter_.First(rest_, /*last=*/true, record_);
    line_ = next_line_;
    if (record_.kind == CsvRecord::Kind::kBad) {
      problem_ = record_.reason;
      return false;
    }
    next_line_ +=
        static_cast<int32_t>(std::ranges::count(rest_.substr(0, record_.size), line_end_));
    rest_.remove_prefix(record_.size);
    if (record_.kind == CsvRecord::Kind::kRecord && !IsEmpty(record_)) return true;
  }
  return false;
}

std::vector<std::string> TableRecords::Names() const {
  std::vector<std::string> names;
  for (const CsvField& field : fields()) names.push_back(Unquote(field, dialect_.quote));
  return names;
}

}  // namespace tidemill::transform
