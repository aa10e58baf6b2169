#include "records/csv_rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "records/csv_splitter.h"

namespace tidemill {
namespace {

constexpr size_t kMaxRecord = size_t{1} << 20;
constexpr size_t kMostForDelimiter = 1000;
// The first of two that divide a text equally well.
constexpr std::array<std::string_view, 7> kDelimiters = {"\t", ";", "|", "::", ",", ":", " "};

CsvDivision Divide(std::string_view text, std::string_view delimiter, bool last) {
  const batch::CsvDialect dialect{.delimiter = std::string(delimiter)};
  const CsvRows read = ReadCsvRows(text, dialect, last, kMostForDelimiter);
  CsvDivision division{
      .delimiter = dialect.delimiter, .width = UsualWidth(read.rows), .num_rows = read.rows.size()};
  for (const CsvRow& row : read.rows) division.num_fitting += row.size() == division.width;
  division.first_fits = !read.rows.empty() && read.rows.front().size() == division.width;
  return division;
}

}  // namespace

CsvRows ReadCsvRows(std::string_view text, const batch::CsvDialect& dialect, bool last,
                    size_t most) {
  CsvRows read;
  const CsvSplitter splitter(dialect, kMaxRecord);
  CsvRecord record;
  while (!text.empty() && read.rows.size() < most) {
    splitter.First(text, last, record);
    if (record.kind == CsvRecord::Kind::kIncomplete) break;
    read.num_bytes += static_cast<int64_t>(record.size);
    read.num_bad += record.kind == CsvRecord::Kind::kBad;
    if (record.kind == CsvRecord::Kind::kRecord && !IsEmpty(record)) {
      CsvRow& row = read.rows.emplace_back();
      for (const CsvField& field : record.fields) row.push_back(Unquote(field, dialect.quote));
    }
    text.remove_prefix(record.size);
  }
  return read;
}

size_t UsualWidth(const std::vector<CsvRow>& rows) {
  std::map<size_t, size_t> widths;
  for (const CsvRow& row : rows) ++widths[row.size()];
  const auto most =
      std::ranges::max_element(widths, {}, [](const auto& width) { return width.second; });
  return most == widths.end() ? 0 : most->first;
}

CsvDivision FindDelimiter(std::string_view text, bool last) {
  CsvDivision best;
  for (const std::string_view delimiter : kDelimiters) {
    CsvDivision tried = Divide(text, delimiter, last);
    // A clock has colons and a sentence blanks: these have to divide every record.
    const bool rare = delimiter == ":" || delimiter == " ";
    if (tried.width < 2 || tried.share() < (rare ? 1 : 0.8)) continue;
    if (rare && best.width >= 2) continue;
    const bool better = tried.first_fits != best.first_fits ? tried.first_fits
                                                            : tried.share() > best.share() + 0.05;
    if (best.width < 2 || better) best = std::move(tried);
  }
  return best;
}

}  // namespace tidemill
