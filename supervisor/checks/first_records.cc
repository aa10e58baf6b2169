#include "supervisor/checks/first_records.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "records/csv_header.h"
#include "records/csv_punctuation.h"
#include "records/csv_splitter.h"
#include "records/skipped_lines.h"
#include "records/text.h"
#include "supervisor/checks/dataset_peek.h"

namespace tidemill::supervisor {

namespace {

// Cuts the records of one file.
class Cutting {
 public:
  Cutting(const FileStart& start, const storage::DelimitedText& text,
          std::span<const std::string> columns)
      : text_(text), splitter_(text.dialect, static_cast<size_t>(text.max_record_bytes)) {
    cut_.file = start.file;
    cut_.columns.assign(columns.begin(), columns.end());
    cut_.dialect = text.dialect;
    if (!text.header && !columns.empty()) header_.emplace(cut_.columns, text.dialect.quote);
  }

  FirstRecords Run(std::string_view bytes, bool whole) {
    using Kind = CsvRecord::Kind;
    if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
    bytes.remove_prefix(SkippedLines(text_.skip).Skip(bytes, whole));
    line_ += text_.skip;
    while (!bytes.empty()) {
      splitter_.First(bytes, whole, record_);
      if (record_.kind == Kind::kIncomplete || record_.runs_on) break;
      if (record_.kind == Kind::kRecord) Take();
      const std::string_view taken = bytes.substr(0, record_.size);
      for (size_t at = 0; (at = NextLine(taken, at)) != std::string_view::npos;) ++line_;
      bytes.remove_prefix(record_.size);
    }
    return std::move(cut_);
  }

 private:
  void Take() {
    FirstRecord taken{.line = line_, .fields = {}};
    for (const auto& field : record_.fields) {
      taken.fields.push_back(Unquote(field, text_.dialect.quote));
    }
    if (text_.header && !cut_.has_header) {
      cut_.columns = std::move(taken.fields);
      cut_.has_header = true;
      header_.emplace(cut_.columns, text_.dialect.quote);
    } else if (!TakeSecondHeader(taken) && !IsEmpty(record_) && !moved_) {
      cut_.records.push_back(std::move(taken));
    }
  }

  bool TakeSecondHeader(const FirstRecord& taken) {
    const auto kind = header_ ? header_->KindOf(record_.fields) : CsvHeader::Kind::kNone;
    if (kind == CsvHeader::Kind::kNone) return false;
    moved_ = kind == CsvHeader::Kind::kMoved;
    cut_.headers.push_back(taken.line);
    if (moved_ && !cut_.moved_header) cut_.moved_header = taken;
    return true;
  }

  const storage::DelimitedText& text_;
  const CsvSplitter splitter_;
  std::optional<CsvHeader> header_;
  bool moved_ = false;  // Whether the columns are in another order.
  CsvRecord record_;
  int64_t line_ = 1;
  FirstRecords cut_;
};

}  // namespace

std::optional<FileStart> StartOf(const std::string& file, const std::string& head) {
  for (const std::string_view magic : {"\x1f\x8b", "\xfd\x37zXZ", "\x28\xb5\x2f\xfd"}) {
    if (head.starts_with(magic)) return std::nullopt;
  }
  return FileStart{.file = file, .bytes = head, .whole = head.size() < kHeadBytes};
}

FirstRecords CutRecords(const FileStart& start, const storage::DelimitedText& text,
                        std::span<const std::string> columns) {
  return Cutting(start, text, columns).Run(start.bytes, start.whole);
}

}  // namespace tidemill::supervisor
