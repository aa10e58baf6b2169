#include "cli/init/csv_shape.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "fmt/format.h"

#include "base/printable.h"
#include "base/thousands.h"
#include "records/columns/column_facts.h"
#include "records/csv_header.h"
#include "records/csv_splitter.h"

namespace tidemill::cli {
namespace {

constexpr size_t kMaxRecord = size_t{1} << 20;
constexpr size_t kMostForDelimiter = 1000;
// The first of two that divide a text equally well.
constexpr std::array<std::string_view, 7> kDelimiters = {"\t", ";", "|", "::", ",", ":", " "};

std::string NameOf(std::string_view delimiter) {
  if (delimiter == "\t") return "a tab";
  if (delimiter == " ") return "a blank";
  return Quoted(delimiter);
}

// How well a delimiter divides a text.
struct Division {
  std::string_view delimiter = {};
  size_t width = 0;        // Fields of most records.
  size_t num_fitting = 0;  // Records with this number.
  size_t num_rows = 0;
  bool first_fits = false;

  double share() const {
    return num_rows == 0 ? 0 : static_cast<double>(num_fitting) / static_cast<double>(num_rows);
  }
};

Division Divide(std::string_view text, std::string_view delimiter, bool last) {
  const batch::CsvDialect dialect{.delimiter = std::string(delimiter)};
  const CsvRows read = ReadCsvRows(text, dialect, last, kMostForDelimiter);
  Division division{
      .delimiter = delimiter, .width = UsualWidth(read.rows), .num_rows = read.rows.size()};
  for (const CsvRow& row : read.rows) division.num_fitting += row.size() == division.width;
  division.first_fits = !read.rows.empty() && read.rows.front().size() == division.width;
  return division;
}

bool HasDigit(const std::string& text) {
  return std::ranges::any_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Whether a text of a column below the first row looks like `first`, or like values that `first`
// would name.
enum class HeaderVote { kForHeader, kAgainst, kNeither };

// Whether it is a number in some notation, with a unit or without one.
bool LooksLikeNumber(const std::string& text) {
  if (IsNumber(text, {}) || IsNumber(text, {.decimal = ','})) return true;
  const auto unit = UnitOf(text);
  // Names such as x1 have digits, too.
  if (unit && !unit->empty() && absl::ascii_isalpha(static_cast<unsigned char>(text.front()))) {
    return false;
  }
  return unit && std::ranges::any_of(kUsualNotations, [&](const auto& notation) {
           return IsNumber(text, {.decimal = notation.first,
                                  .thousands = notation.second,
                                  .unit = std::string(*unit)});
         });
}

bool LooksLikeYear(const std::string& text) {
  return text.size() == 4 && (text.starts_with("19") || text.starts_with("20"));
}

HeaderVote VoteOf(const std::vector<CsvRow>& rows, size_t column) {
  const std::string& first = rows.front()[column];
  int64_t num_values = 0, num_numbers = 0, num_with_digit = 0, num_same = 0;
  for (size_t row = 1; row < rows.size(); ++row) {
    const std::string& value = rows[row][column];
    if (IsMissingWord(value)) continue;
    ++num_values;
    num_numbers += LooksLikeNumber(value);
    num_with_digit += HasDigit(value);
    num_same += value == first;
  }
  const bool first_is_number = LooksLikeNumber(first);
  if (num_same > 0) return HeaderVote::kAgainst;
  // Years are names of columns, too.
  if (first_is_number) return LooksLikeYear(first) ? HeaderVote::kNeither : HeaderVote::kAgainst;
  const bool numbers = num_numbers * 10 >= num_values * 9;
  // Dates and codes have digits, too.
  const bool digits = !HasDigit(first) && num_with_digit * 10 >= num_values * 9;
  const bool names = num_values > 0 && (numbers || digits) && !IsMissingWord(first);
  return names ? HeaderVote::kForHeader : HeaderVote::kNeither;
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

GuessedDelimiter GuessDelimiter(std::string_view text, bool last) {
  Division best{.delimiter = ","};
  for (const std::string_view delimiter : kDelimiters) {
    const Division tried = Divide(text, delimiter, last);
    // A clock has colons and a sentence blanks: these have to divide every record.
    const bool rare = delimiter == ":" || delimiter == " ";
    if (tried.width < 2 || tried.share() < (rare ? 1 : 0.8)) continue;
    if (rare && best.width >= 2) continue;
    const bool better = tried.first_fits != best.first_fits ? tried.first_fits
                                                            : tried.share() > best.share() + 0.05;
    if (best.width < 2 || better) best = tried;
  }
  if (best.width < 2) {
    return {.delimiter = ",",
            .reason = "no delimiter was found, so there is one column",
            .unknown =
                "how fields are separated: no delimiter divides the records equally; if there "
                "are several columns, write it: --delimiter ';'"};
  }
  return {.delimiter = std::string(best.delimiter),
          .reason = fmt::format("{} divides {} of the first {} records into {} fields",
                                NameOf(best.delimiter),
                                WithThousands(static_cast<int64_t>(best.num_fitting)),
                                WithThousands(static_cast<int64_t>(best.num_rows)), best.width),
          .unknown = {}};
}

GuessedHeader GuessHeader(const std::vector<CsvRow>& rows) {
  if (rows.empty()) return {};
  const CsvRow& first = rows.front();
  if (const auto problem = ProblemOfNames(first)) {
    return {.header = false, .reason = "the first record cannot name columns: it " + *problem};
  }
  size_t num_for = 0, num_against = 0;
  std::string example;
  for (size_t column = 0; column < first.size(); ++column) {
    const HeaderVote vote = VoteOf(rows, column);
    if (vote == HeaderVote::kForHeader && num_for++ == 0) example = first[column];
    num_against += vote == HeaderVote::kAgainst;
  }
  if (num_for > num_against) {
    return {.header = true,
            .reason = fmt::format("the first record names columns: below {} are numbers or dates",
                                  Quoted(example))};
  }
  if (num_against > 0) {
    return {.header = false, .reason = "the first record has values such as those below it"};
  }
  const bool names = std::ranges::none_of(first, HasDigit);
  return {
      .header = names,
      .reason = names ? "the first record has no digit, and its texts do not occur again"
                      : "the first record has digits, as those below it",
      .unknown = fmt::format("whether the first record names the columns: all columns hold texts; "
                             "it was taken {}; --header yes|no says it",
                             names ? "for names" : "for values")};
}

}  // namespace tidemill::cli
