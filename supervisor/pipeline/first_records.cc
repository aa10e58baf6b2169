#include "supervisor/pipeline/first_records.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "records/csv_splitter.h"
#include "records/text.h"
#include "supervisor/pipeline/dataset_peek.h"

namespace tidemill::supervisor {
std::optional<FileStart> StartOf(const std::string& file, const std::string& head) {
  for (const std::string_view magic : {"\x1f\x8b", "\xfd\x37zXZ", "\x28\xb5\x2f\xfd"}) {
    if (head.starts_with(magic)) return std::nullopt;
  }
  return FileStart{.file = file, .bytes = head, .whole = head.size() < kHeadBytes};
}

FirstRecords CutRecords(const FileStart& start, const storage::DelimitedText& text,
                        std::span<const std::string> columns) {
  using Kind = CsvRecord::Kind;
  const CsvSplitter splitter(text.delimiter, text.quote,
                             static_cast<size_t>(text.max_record_bytes));
  FirstRecords cut{.file = start.file, .columns = {columns.begin(), columns.end()}, .records = {}};
  std::string_view bytes = start.bytes;
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  CsvRecord record;
  bool expects_header = text.header;
  for (int64_t line = 1; !bytes.empty();) {
    splitter.First(bytes, start.whole, record);
    if (record.kind == Kind::kIncomplete || record.runs_on) break;
    const std::string_view taken = bytes.substr(0, record.size);
    if (record.kind == Kind::kRecord) {
      std::vector<std::string> fields;
      for (const auto& field : record.fields) fields.push_back(Unquote(field, text.quote));
      if (expects_header) {
        cut.columns = std::move(fields);
        cut.has_header = true;
        expects_header = false;
      } else {
        cut.records.push_back({.line = line, .fields = std::move(fields)});
      }
    }
    line += std::ranges::count(taken, '\n');
    bytes.remove_prefix(record.size);
  }
  return cut;
}

}  // namespace tidemill::supervisor
