#include "supervisor/checks/layout_check.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/numbers/number_text.h"
#include "config/config.h"
#include "records/csv_header.h"
#include "records/csv_rows.h"
#include "records/file_kind.h"
#include "records/skipped_lines.h"
#include "records/text.h"
#include "records/time_reader.h"

namespace tidemill::supervisor {
namespace {

bool IsPlainNumber(std::string_view text) {
  double number = 0;
  const auto [stop, error] = ReadNumber(text, number);
  return error == std::errc() && stop == text.data() + text.size();
}

bool IsTime(std::string_view text, const storage::EventTimeSpec& spec) {
  const auto reader = TimeReader::Create({.format = spec.format});
  return reader.ok() && reader->Read(text).ok();
}

// "\t" rather than a tab.
std::string Written(std::string_view delimiter) {
  return delimiter == "\t" ? "\"\\t\"" : fmt::format("\"{}\"", delimiter);
}

std::optional<config::Remark> FindEncoding(const FileStart& start,
                                           const storage::DelimitedText& text) {
  const std::string_view bytes = start.bytes;
  if (const auto kind = KindOfFile(bytes)) {
    return config::Remark{
        .path = "files",
        .message = fmt::format("{} is not a CSV file, it is {}", start.file, kind->name),
        .hint = std::string(kind->hint)};
  }
  std::string_view header = bytes.substr(SkippedLines(text.skip).Skip(bytes, start.whole));
  header = header.substr(0, header.find_first_of("\r\n"));
  if (!text.header || IsText(header)) return std::nullopt;
  return config::Remark{
      .path = "files",
      .message = fmt::format("the header of {} is not text in UTF-8, but perhaps Latin-1: {}",
                             start.file, Quoted(header)),
      .hint = fmt::format("convert it: iconv -f ISO-8859-1 -t UTF-8 {0} >utf8_{0}", start.file)};
}

std::optional<config::Remark> FindDuplicate(const FirstRecords& records) {
  const auto problem = ProblemOfNames(records.columns);
  if (!problem) return std::nullopt;
  return config::Remark{.path = "format",
                        .message = fmt::format("the header of {} {}", records.file, *problem),
                        .hint =
                            "give each column of the file a unique name; or leave its header out "
                            "and name the columns: skip: 1, header: false, columns: [...]"};
}

// Another delimiter that divides the first records, if there is one.
std::optional<std::string> OtherDelimiter(const FileStart& start,
                                          const storage::DelimitedText& text) {
  std::string_view bytes = start.bytes;
  bytes.remove_prefix(SkippedLines(text.skip).Skip(bytes, start.whole));
  CsvDivision found = FindDelimiter(bytes, start.whole);
  if (found.width < 2 || found.delimiter == text.dialect.delimiter) return std::nullopt;
  return std::move(found.delimiter);
}

// Whether the first line holds values: one that reads as a number or a time.
bool LooksLikeValues(const std::vector<std::string>& fields, const storage::DatasetSpec& spec) {
  return std::ranges::any_of(fields, [&](const std::string& field) {
    return IsPlainNumber(field) || IsTime(field, spec.event_time);
  });
}

std::vector<std::string> NamedColumns(const storage::DatasetSpec& spec) {
  std::vector<std::string> named = spec.event_time.TimeFields();
  if (spec.label.column) named.push_back(*spec.label.column);
  if (spec.series && spec.series->group) named.push_back(*spec.series->group);
  if (spec.series && spec.series->target) named.push_back(*spec.series->target);
  return named;
}

}  // namespace

std::optional<config::Remark> FindLayoutProblem(const FileStart& start,
                                                const storage::DelimitedText& text) {
  if (auto encoding = FindEncoding(start, text)) return encoding;
  const FirstRecords records = CutRecords(start, text);
  if (text.header && !records.has_header) {
    const bool empty = start.whole && start.bytes.find_first_not_of("\r\n") == std::string::npos;
    // Without a line end it may be one that is still being written, or too long to be seen.
    if (!empty && !start.whole) return std::nullopt;
    return config::Remark{.path = "files",
                          .message = fmt::format("{} {}, so its columns are not known", start.file,
                                                 empty ? "is empty" : "has no complete header"),
                          .hint = "remove the file, or write a pattern that leaves it out"};
  }
  return text.header ? FindDuplicate(records) : std::nullopt;
}

std::optional<config::Remark> ExplainMissingColumns(const FileStart& start,
                                                    const FirstRecords& records,
                                                    const storage::DatasetSpec& spec) {
  const storage::DelimitedText text = spec.format->Delimited().value_or(storage::DelimitedText());
  const std::vector<std::string> named = NamedColumns(spec);
  const bool all_there = std::ranges::all_of(named, [&](const std::string& name) {
    return std::ranges::find(records.columns, name) != records.columns.end();
  });
  const bool one_field = text.header ? records.columns.size() == 1
                                     : !records.records.empty() && records.columns.size() > 1 &&
                                           records.records.front().fields.size() == 1;
  if (one_field && (!all_there || !text.header)) {
    if (const std::optional<std::string> other = OtherDelimiter(start, text)) {
      const std::string line(start.bytes.substr(0, start.bytes.find_first_of("\r\n")));
      return config::Remark{
          .path = "format.delimiter",
          .message = fmt::format("{} has one field in each line if {} separates them: {}",
                                 start.file, Written(text.dialect.delimiter), Quoted(line)),
          .hint = fmt::format("try delimiter: {}", Written(*other))};
    }
  }
  if (all_there || !text.header || !LooksLikeValues(records.columns, spec)) return std::nullopt;
  return config::Remark{
      .path = "format.header",
      .message = fmt::format("the first line of {} holds values rather than names of columns: {}",
                             start.file, fmt::join(records.columns, ", ")),
      .hint = fmt::format("try header: false, and name the {} columns in `columns`",
                          records.columns.size())};
}

std::string HintForColumn(const std::string& column, const std::vector<std::string>& columns) {
  for (const std::string& there : columns) {
    const size_t begin = there.find_first_not_of(" \t");
    if (begin == std::string::npos || (begin == 0 && !there.ends_with(' '))) continue;
    const size_t end = there.find_last_not_of(" \t") + 1;
    if (std::string_view(there).substr(begin, end - begin) != column) continue;
    return fmt::format(
        "the header has blanks around the name: write trim: true in the format, or \"{}\" here",
        there);
  }
  std::string hint = config::DidYouMean(column, columns);
  if (hint.empty()) hint = fmt::format("columns: {}", fmt::join(columns, ", "));
  return hint;
}

}  // namespace tidemill::supervisor
