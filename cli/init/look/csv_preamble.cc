#include "cli/init/look/csv_preamble.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "fmt/format.h"

#include "base/numbers/written_number.h"
#include "records/columns/column_facts.h"
#include "records/csv_splitter.h"
#include "records/skipped_lines.h"

namespace tidemill::cli {
namespace {

constexpr int64_t kMostLinesBefore = 200;
constexpr size_t kMostBytesBefore = size_t{64} << 10;

std::string_view FirstLine(std::string_view text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

bool IsComment(std::string_view line) {
  line = WithoutBlanksAround(line);
  return line.starts_with('#') || line.starts_with('%') || line.starts_with("//") ||
         line.starts_with('!');
}

// "sep=;", as Excel reads it.
std::optional<std::string> SeparatorOf(std::string_view line) {
  line = WithoutBlanksAround(line);
  if (line.starts_with('"') && line.ends_with('"') && line.size() > 1) {
    line = line.substr(1, line.size() - 2);
  }
  if (line.size() < 5 || line.size() > 12) return {};
  if (absl::AsciiStrToLower(std::string(line.substr(0, 4))) != "sep=") return {};
  return line.substr(4) == "\\t" ? "\t" : std::string(line.substr(4));
}

bool IsValue(std::string_view text) {
  const bool number = IsNumber(text, {}) || IsNumber(text, {.decimal = ','});
  return number || std::ranges::count_if(text, absl::ascii_isdigit) >= 4;
}

// Whether the last comment is a header after its sign: it has as many fields as the line below,
// which has values.
bool IsHeader(std::string_view comment, std::string_view below) {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    const auto fields = std::ranges::count(comment, delimiter);
    if (fields == 0 || fields != std::ranges::count(below, delimiter)) continue;
    bool any = false;
    while (!below.empty()) {
      const size_t end = std::min(below.find(delimiter), below.size());
      any |= IsValue(below.substr(0, end));
      below.remove_prefix(std::min(end + 1, below.size()));
    }
    return any;
  }
  return false;
}

}  // namespace

std::string_view WithoutLines(std::string_view text, int64_t num_lines) {
  return text.substr(SkippedLines(num_lines).Skip(text, /*last=*/true));
}

Preamble FindComments(std::string_view text) {
  Preamble found;
  std::string_view before;
  // Blank lines belong to it where a comment follows them.
  for (int64_t line = 0; line < kMostLinesBefore && !text.empty(); ++line) {
    const std::string_view next = FirstLine(text);
    const auto separator = line == 0 ? SeparatorOf(next) : std::nullopt;
    if (separator) found.delimiter = separator;
    if (!separator && !IsComment(next) && !IsBlank(next)) break;
    if (!IsBlank(next)) {
      found.num_lines = line + 1;
      if (found.example.empty()) found.example = next;
      before = next;
    }
    text = WithoutLines(text, 1);
  }
  while (IsBlank(FirstLine(text)) && !text.empty()) text = WithoutLines(text, 1);
  if (found.num_lines > 0 && !found.delimiter && IsHeader(before, FirstLine(text))) {
    --found.num_lines;
    if (found.num_lines == 0) found.example.clear();
  }
  return found;
}

Preamble FindTitle(std::string_view text, const batch::CsvDialect& dialect, bool last) {
  constexpr size_t kMostRows = 1000;
  constexpr size_t kMostTitles = 50;
  const CsvRows read = ReadCsvRows(text, dialect, last, kMostRows);
  const size_t width = UsualWidth(read.rows);
  const auto fits = [&](const CsvRow& row) { return row.size() == width; };
  const auto first = std::ranges::find_if(read.rows, fits);
  const auto before = static_cast<size_t>(first - read.rows.begin());
  const auto num_fitting = static_cast<size_t>(std::ranges::count_if(read.rows, fits));
  const bool common = num_fitting * 10 >= (read.rows.size() - before) * 9;
  if (width < 2 || before == 0 || before > kMostTitles || !common) return {};
  // A header with one name too few, as R writes it, is not a title.
  const bool is_title = std::ranges::all_of(read.rows.begin(), first, [&](const CsvRow& row) {
    return row.size() < width && (row.size() + 1 < width || width == 2);
  });
  if (!is_title) return {};
  Preamble found{.example = std::string(FirstLine(text))};
  const CsvSplitter splitter(dialect, kMostBytesBefore);
  CsvRecord record;
  for (size_t rows = 0; rows < before && found.num_lines < kMostLinesBefore;) {
    splitter.First(text, last, record);
    if (record.kind == CsvRecord::Kind::kIncomplete || record.size == 0) return {};
    rows += record.kind == CsvRecord::Kind::kRecord && !IsEmpty(record);
    const std::string_view taken = text.substr(0, record.size);
    for (std::string_view rest = taken; !rest.empty(); rest = WithoutLines(rest, 1)) {
      ++found.num_lines;
    }
    text.remove_prefix(record.size);
  }
  return found;
}

std::optional<OwnNames> NameColumns(std::string_view text, const std::vector<CsvRow>& rows,
                                    size_t width, const batch::CsvDialect& dialect) {
  if (rows.size() < 2 || width == 0) return std::nullopt;
  const CsvRow& first = rows.front();
  const bool lacks_one = first.size() + 1 == width && width > 2;
  const std::set<std::string> different(first.begin(), first.end());
  const bool twice = first.size() == width && different.size() < first.size();
  if (!lacks_one && !twice) return std::nullopt;
  if (std::ranges::any_of(first, [](const std::string& name) { return IsValue(name); })) {
    return std::nullopt;
  }
  // Below names there are values, or texts that do not occur above.
  const bool has_values =
      std::ranges::any_of(rows[1], [](const std::string& field) { return IsValue(field); });
  if (!has_values) return std::nullopt;
  OwnNames own{.names = first};
  if (lacks_one) own.names.insert(own.names.begin(), "row");
  own.reason = lacks_one
                   ? fmt::format(
                         "the header has {} names for {} columns, so it is left out, and "
                         "the first column is called 'row'",
                         first.size(), width)
                   : "the header names a column twice, so it is left out, and the columns get "
                     "names that differ";
  std::set<std::string> taken;
  for (std::string& name : own.names) {
    const std::string as_written = name.empty() ? "column" : name;
    name = as_written;
    for (int number = 2; !taken.insert(name).second; ++number) {
      name = fmt::format("{}_{}", as_written, number);
    }
  }
  CsvRecord record;
  CsvSplitter(dialect, kMostBytesBefore).First(text, /*last=*/true, record);
  for (std::string_view rest = text.substr(0, record.size); !rest.empty();
       rest = WithoutLines(rest, 1)) {
    ++own.num_lines;
  }
  return own;
}

}  // namespace tidemill::cli
