#include "cli/init/column_facts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "transform/ops/records/number_text.h"

namespace tidemill::cli {
namespace {

using transform::ParseNumber;
using transform::Trim;

constexpr std::array<std::string_view, 24> kMissingWords = {
    "",     "NA",   "N/A",  "n/a",     "na",      "NaN",  "nan", "NAN",
    "null", "NULL", "Null", "None",    "none",    "?",    "-",   "--",
    ".",    "\\N",  "#N/A", "missing", "Missing", "<NA>", "nil", "#VALUE!"};

int64_t CountWords(std::string_view text) {
  int64_t words = 0;
  bool within = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    words += !blank && !within;
    within = !blank;
  }
  return words;
}

class Gatherer {
 public:
  Gatherer(ColumnFacts& facts, char decimal) : facts_(facts), decimal_(decimal) {}

  void Add(const std::string& value) {
    ++facts_.num_rows;
    const std::string_view text = Trim(value);
    if (IsMissingWord(text)) {
      ++facts_.num_missing;
      ++facts_.missing_words[std::string(text)];
      return;
    }
    facts_.has_blanks |= text.size() != value.size();
    facts_.num_words += CountWords(text);
    AddNumber(text);
    if (const auto found = facts_.counts.find(std::string(text)); found != facts_.counts.end()) {
      ++found->second;
    } else if (facts_.counts.size() < ColumnFacts::kMostDistinct) {
      facts_.counts.emplace(text, 1);
    } else {
      facts_.more_distinct = true;
    }
  }

 private:
  void AddNumber(std::string_view text) {
    double number = 0;
    if (ParseNumber(text, decimal_, number)) return;
    const bool first = facts_.num_numbers++ == 0;
    facts_.num_whole +=
        number == std::floor(number) && text.find(decimal_) == std::string_view::npos;
    facts_.rises &= first || number >= last_;
    facts_.least = first ? number : std::min(facts_.least, number);
    facts_.greatest = first ? number : std::max(facts_.greatest, number);
    last_ = number;
  }

  ColumnFacts& facts_;
  const char decimal_;
  double last_ = 0;
};

bool NamesAnIdentifier(const std::string& name) {
  std::string lower;
  for (const char c : name) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  constexpr std::array<std::string_view, 10> kNames = {
      "id", "uuid", "guid", "index", "idx", "rowid", "row_id", "key", "unnamed: 0", "record"};
  return std::ranges::find(kNames, lower) != kNames.end() || lower.ends_with("_id") ||
         lower.ends_with("_uuid") || lower.ends_with("_key") ||
         (name.ends_with("Id") && name.size() > 2) || (name.ends_with("ID") && name.size() > 2);
}

// Whether (almost) every row has a different value.
bool IsDistinct(const ColumnFacts& facts) {
  if (facts.num_values() < 20) return false;
  return facts.more_distinct || facts.num_distinct() * 100 >= facts.num_values() * 95;
}

ColumnKind KindOfNumbers(const ColumnFacts& facts) {
  const bool counts_rows = facts.all_whole() && facts.rises && IsDistinct(facts) &&
                           facts.greatest - facts.least < 2.0 * static_cast<double>(facts.num_rows);
  const bool named = NamesAnIdentifier(facts.name) && facts.all_whole() && IsDistinct(facts);
  return counts_rows || named ? ColumnKind::kIdentifier : ColumnKind::kNumber;
}

ColumnKind KindOfTexts(const ColumnFacts& facts) {
  constexpr int64_t kMostCategories = 100;
  const bool several_words = facts.num_words >= 3 * facts.num_values();
  const bool many = facts.more_distinct || facts.num_distinct() > kMostCategories ||
                    facts.num_distinct() * 2 > facts.num_values();
  if (several_words && many) return ColumnKind::kWords;
  if (IsDistinct(facts) || (NamesAnIdentifier(facts.name) && many)) return ColumnKind::kIdentifier;
  return many && facts.num_distinct() > 20 ? ColumnKind::kManyValues : ColumnKind::kCategory;
}

ColumnKind KindOf(const ColumnFacts& facts) {
  if (facts.num_values() == 0) return ColumnKind::kEmpty;
  if (facts.num_distinct() == 1 && !facts.more_distinct && facts.num_rows > 1)
    return ColumnKind::kConstant;
  if (facts.num_numbers * 100 >= facts.num_values() * 95) return KindOfNumbers(facts);
  return KindOfTexts(facts);
}

}  // namespace

bool IsMissingWord(std::string_view text) {
  return std::ranges::find(kMissingWords, Trim(text)) != kMissingWords.end();
}

bool IsNumber(std::string_view text, char decimal) {
  double number = 0;
  return !ParseNumber(text, decimal, number);
}

ColumnFacts FactsOf(const SampledColumn& column, char decimal) {
  ColumnFacts facts{.name = column.name};
  Gatherer gatherer(facts, decimal);
  for (const std::string& value : column.values) gatherer.Add(value);
  facts.kind = KindOf(facts);
  const bool numbers = facts.kind == ColumnKind::kNumber;
  facts.num_odd = numbers ? facts.num_values() - facts.num_numbers : 0;
  return facts;
}

}  // namespace tidemill::cli
