#include "records/columns/column_kind.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "fmt/format.h"

#include "base/numbers/number_text.h"
#include "base/printable.h"

namespace tidemill {
namespace {

// Whole numbers up to here are different as float32, too.
constexpr int64_t kDigitsOfFloat32 = 8;
constexpr int64_t kDigitsOfFloat64 = 15;
// So few numbers are not judged by how they follow each other.
constexpr int64_t kFewSteps = 10;

bool IsOneOf(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// Whether (almost) every row has a different value.
bool IsDistinct(const ColumnFacts& facts) {
  return facts.num_values() >= 20 && facts.num_different * 100 >= facts.num_values() * 95;
}

bool HaveMany(const ColumnFacts& facts) {
  return facts.num_different > kMostCategories || facts.num_different * 2 > facts.num_values();
}

// Parts of a time rise by one, too, and begin again at the same place.
bool IsPartOfTime(const ColumnFacts& facts) {
  constexpr std::array<std::string_view, 26> kNames = {
      "hour",    "hr",     "hh",      "stunde",    "heure",      "hora", "day",
      "dd",      "tag",    "weekday", "dow",       "month",      "mm",   "mnth",
      "monat",   "minute", "min",     "second",    "sec",        "week", "day_of_week",
      "quarter", "year",   "doy",     "dayofyear", "day_of_year"};
  const std::string lower = absl::AsciiStrToLower(facts.name);
  if (IsOneOf(lower, kNames)) return true;
  if (lower.empty() || NamesAnIdentifier(facts.name)) return false;
  const double range = facts.greatest - facts.least;
  const bool from_start = facts.least == 0 || facts.least == 1;
  return from_start && (range == 6 || range == 11 || range == 23 || range == 59);
}

// Whether the number rises, or falls, by one from record to record, however often it begins again.
bool CountsRecords(const ColumnFacts& facts) {
  const NumberSteps& steps = facts.steps;
  if (!facts.all_whole() || steps.num_steps < kFewSteps) return false;
  const int64_t ones = std::max(steps.num_up, steps.num_down);
  if (ones * 10 < steps.num_steps * 9 || IsPartOfTime(facts)) return false;
  // Short rows of numbers, such as the places of results, mean something.
  constexpr int64_t kShort = 20;
  const int64_t restarts = steps.num_steps - ones;
  const bool named = facts.name.empty() || NamesAnIdentifier(facts.name) ||
                     absl::AsciiStrToLower(facts.name).starts_with("unnamed");
  return named || ones >= kShort * restarts;
}

// Two values that differ as texts and not as numbers: 1.10 and 1.1.
std::optional<std::pair<std::string, std::string>> LostAsNumbers(const ColumnFacts& facts) {
  // Codes have no sign: -0.000 beside 0.000 are amounts.
  if (facts.least < 0 || facts.counts.begin()->first.starts_with('-')) return std::nullopt;
  std::map<double, std::string> texts;
  for (const auto& [text, count] : facts.counts) {
    double number = 0;
    if (ReadNumber(text, number).ec != std::errc()) continue;
    const auto [other, is_new] = texts.emplace(number, text);
    const bool both_have_point =
        text.find('.') != std::string::npos && other->second.find('.') != std::string::npos;
    const bool exponent = text.find_first_of("eE") != std::string::npos ||
                          other->second.find_first_of("eE") != std::string::npos;
    if (!is_new && (both_have_point || exponent)) return std::pair(other->second, text);
  }
  return std::nullopt;
}

std::string ExampleOf(const ColumnFacts& facts, auto fits) {
  for (const auto& [text, count] : facts.counts) {
    if (fits(std::string_view(text))) return Quoted(text);
  }
  return facts.counts.empty() ? "" : Quoted(facts.counts.begin()->first);
}

bool BeginsWithZero(std::string_view text) {
  return text.size() > 1 && text[0] == '0' && absl::ascii_isdigit(text[1]);
}

// Says that the numbers are codes, for a reason that is certain.
bool AreSurelyCodes(ColumnFacts& facts) {
  const NumberWriting& writing = facts.writing;
  const bool same_length = writing.least_digits == writing.most_digits;
  if (facts.all_whole() && writing.num_leading_zeros > 0 &&
      (same_length || writing.num_leading_zeros * 200 >= facts.num_numbers)) {
    facts.because = fmt::format("whole numbers such as {}, whose zeros a number would lose",
                                ExampleOf(facts, BeginsWithZero));
    return true;
  }
  if (facts.all_whole() && writing.most_digits > kDigitsOfFloat64) {
    facts.because = fmt::format("whole numbers of {} digits, more than a number would keep",
                                writing.most_digits);
    return true;
  }
  if (facts.all_whole() &&
      (NamesCodes(facts.name) || (NamesAnIdentifier(facts.name) && IsDistinct(facts)))) {
    facts.because = "whole numbers whose name says that they are codes";
    return true;
  }
  return false;
}

// Says that the numbers are likely codes.
bool AreLikelyCodes(ColumnFacts& facts) {
  const NumberWriting& writing = facts.writing;
  const auto exponent = [](std::string_view text) {
    return text.find_first_of("eE") != std::string_view::npos;
  };
  if (writing.num_bare_exponents > 0) {
    facts.because = fmt::format("texts such as {}, which as numbers have an exponent",
                                ExampleOf(facts, exponent));
    return true;
  }
  constexpr int64_t kMostVersions = 200;
  if (facts.num_different <= kMostVersions && !HaveMany(facts)) {
    if (const auto lost = LostAsNumbers(facts)) {
      facts.because = fmt::format("texts such as {} and {}, which are one number",
                                  Quoted(lost->first), Quoted(lost->second));
      return true;
    }
  }
  const bool same_length = writing.least_digits == writing.most_digits;
  if (facts.all_whole() && same_length && writing.most_digits > kDigitsOfFloat32 && !facts.rises) {
    facts.because = fmt::format("whole numbers of {} digits each, more than a float32 keeps apart",
                                writing.most_digits);
    return true;
  }
  return false;
}

void SetKindOfCodes(ColumnFacts& facts, bool are_sure) {
  const bool many = HaveMany(facts) && facts.num_different > 20;
  facts.kind = IsDistinct(facts) ? ColumnKind::kIdentifier
               : many            ? ColumnKind::kManyValues
                                 : ColumnKind::kCategory;
  if (are_sure) return;
  facts.question = fmt::format(
      "whether {} holds codes or amounts: it has {}, so it was {}; if these are amounts, read it "
      "with the columns of numbers",
      Quoted(facts.name), facts.because,
      facts.kind == ColumnKind::kIdentifier ? "left out as the name of a record"
                                            : "taken for codes");
}

void SetKindOfNumbers(ColumnFacts& facts) {
  const bool counts_rows = facts.all_whole() && facts.rises && IsDistinct(facts) &&
                           facts.greatest - facts.least < 2.0 * static_cast<double>(facts.num_rows);
  if (counts_rows || CountsRecords(facts)) {
    facts.kind = ColumnKind::kCounter;
    return;
  }
  const bool are_sure = AreSurelyCodes(facts);
  if (are_sure || AreLikelyCodes(facts)) {
    SetKindOfCodes(facts, are_sure);
    return;
  }
  facts.kind = ColumnKind::kNumber;
  facts.num_odd = facts.num_values() - facts.num_numbers;
}

void SetKindOfTexts(ColumnFacts& facts) {
  constexpr int64_t kFewTexts = 20;
  const bool several_words = facts.num_words >= 3 * facts.num_values();
  const bool many = HaveMany(facts);
  const bool mostly_different = facts.num_different * 2 > facts.num_values();
  if (several_words && (many || facts.num_different > 100)) {
    facts.kind = ColumnKind::kWords;
  } else if (IsDistinct(facts) || (NamesAnIdentifier(facts.name) && mostly_different)) {
    facts.kind = ColumnKind::kIdentifier;
  } else {
    const bool is_many = many && facts.num_different > kFewTexts;
    facts.kind = is_many ? ColumnKind::kManyValues : ColumnKind::kCategory;
  }
}

}  // namespace

bool NamesCodes(const std::string& name) {
  constexpr std::array<std::string_view, 20> kNames = {
      "id",          "uuid",       "guid", "zip", "zipcode", "zip_code", "postcode",
      "postal_code", "postalcode", "plz",  "sku", "isbn",    "iban",     "account_number",
      "account_no",  "phone",      "ean",  "upc", "barcode", "ssn"};
  const std::string lower = absl::AsciiStrToLower(absl::StripAsciiWhitespace(name));
  if (IsOneOf(lower, kNames)) return true;
  for (const std::string_view end : {"_id", "_uuid", "_key", "_code", "_sku", "_zip"}) {
    if (lower.ends_with(end)) return true;
  }
  return (name.ends_with("Id") || name.ends_with("ID")) && name.size() > 2;
}

bool NamesAnIdentifier(const std::string& name) {
  constexpr std::array<std::string_view, 14> kNames = {
      "index", "idx", "rowid", "key",    "record", "sno",    "s_no",
      "sl_no", "no",  "nr",    "number", "row",    "rownum", "row_number"};
  const std::string lower = absl::AsciiStrToLower(absl::StripAsciiWhitespace(name));
  return NamesCodes(name) || IsOneOf(lower, kNames) || lower.starts_with("unnamed: ");
}

void SetKind(ColumnFacts& facts) {
  if (facts.num_values() == 0) {
    facts.kind = ColumnKind::kEmpty;
  } else if (facts.num_distinct() == 1 && !facts.more_distinct && facts.num_rows > 1) {
    facts.kind = ColumnKind::kConstant;
  } else if (facts.num_numbers * 100 >= facts.num_values() * 95) {
    SetKindOfNumbers(facts);
  } else {
    SetKindOfTexts(facts);
  }
}

}  // namespace tidemill
