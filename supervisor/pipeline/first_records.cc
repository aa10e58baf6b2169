#include "supervisor/pipeline/first_records.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "records/csv_splitter.h"
#include "records/text.h"
#include "supervisor/pipeline/dataset_peek.h"

namespace tidemill::supervisor {
namespace {

std::optional<char> QuoteOf(const storage::CsvFormat& format) {
  return format.quote.empty() ? std::nullopt : std::optional<char>(format.quote.front());
}

}  // namespace

std::optional<FileStart> StartOf(const std::string& file, const std::string& head) {
  for (const std::string_view magic : {"\x1f\x8b", "\xfd\x37zXZ", "\x28\xb5\x2f\xfd"}) {
    if (head.starts_with(magic)) return std::nullopt;
  }
  return FileStart{.file = file, .bytes = head, .whole = head.size() < kHeadBytes};
}

FirstRecords CutRecords(const FileStart& start, const storage::CsvFormat& format) {
  using Kind = CsvRecord::Kind;
  const CsvSplitter splitter(format.delimiter.front(), QuoteOf(format),
                             static_cast<size_t>(format.max_record.bytes));
  FirstRecords cut{.file = start.file, .columns = format.columns, .records = {}};
  std::string_view text = start.bytes;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  CsvRecord record;
  bool expects_header = format.header;
  for (int64_t line = 1; !text.empty();) {
    splitter.First(text, start.whole, record);
    if (record.kind == Kind::kIncomplete || record.runs_on) break;
    const std::string_view taken = text.substr(0, record.size);
    if (record.kind == Kind::kRecord) {
      std::vector<std::string> fields;
      for (const auto& field : record.fields) fields.push_back(Unquote(field, QuoteOf(format)));
      if (expects_header) {
        cut.columns = std::move(fields);
        cut.has_header = true;
        expects_header = false;
      } else {
        cut.records.push_back({.line = line, .fields = std::move(fields)});
      }
    }
    line += std::ranges::count(taken, '\n');
    text.remove_prefix(record.size);
  }
  return cut;
}

}  // namespace tidemill::supervisor
