#include "cli/init/look/csv_shape.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "fmt/format.h"

#include "base/numbers/thousands.h"
#include "base/printable.h"
#include "records/columns/column_facts.h"
#include "records/csv_header.h"

namespace tidemill::cli {
namespace {

std::string NameOf(std::string_view delimiter) {
  if (delimiter == "\t") return "a tab";
  if (delimiter == " ") return "a blank";
  return Quoted(delimiter);
}

bool HasDigit(const std::string& text) {
  return std::ranges::any_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Whether a text of a column below the first row looks like `first`, or like values that `first`
// would name.
enum class Speaks { kForHeader, kAgainst, kNeither };

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

Speaks Ask(const std::vector<CsvRow>& rows, size_t column) {
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
  if (num_same > 0) return Speaks::kAgainst;
  // Years are names of columns, too.
  if (first_is_number) return LooksLikeYear(first) ? Speaks::kNeither : Speaks::kAgainst;
  const bool numbers = num_numbers * 10 >= num_values * 9;
  // Dates and codes have digits, too.
  const bool digits = !HasDigit(first) && num_with_digit * 10 >= num_values * 9;
  const bool names = num_values > 0 && (numbers || digits) && !IsMissingWord(first);
  return names ? Speaks::kForHeader : Speaks::kNeither;
}

}  // namespace

GuessedDelimiter GuessDelimiter(std::string_view text, bool last) {
  const CsvDivision best = FindDelimiter(text, last);
  if (best.width < 2) {
    return {.delimiter = ",",
            .reason = "no delimiter was found, so there is one column",
            .unknown =
                "how fields are separated: no delimiter divides the records equally; if there "
                "are several columns, write it: --delimiter ';'"};
  }
  return {.delimiter = best.delimiter,
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
    const Speaks speaks = Ask(rows, column);
    if (speaks == Speaks::kForHeader && num_for++ == 0) example = first[column];
    num_against += speaks == Speaks::kAgainst;
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
