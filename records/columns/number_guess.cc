#include "records/columns/number_guess.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "fmt/format.h"

#include "base/printable.h"
#include "records/columns/column_facts.h"

namespace tidemill {
namespace {

constexpr size_t kMostValues = 1000;
constexpr size_t kNumNotations = kUsualNotations.size();

// Some different values of a column that are not missing.
std::vector<std::string_view> SomeValues(const SampledColumn& column) {
  std::vector<std::string_view> values;
  const size_t step = std::max<size_t>(1, column.values.size() / kMostValues);
  for (size_t row = 0; row < column.values.size(); row += step) {
    const std::string_view value = WithoutBlanksAround(column.values[row]);
    if (!IsMissingWord(value)) values.push_back(value);
  }
  return values;
}

// A currency before a number; letters before one are more likely those of a code, such as A12.
bool MayBeBefore(std::string_view unit) {
  constexpr std::array<std::string_view, 20> kCurrencies = {
      "USD", "EUR", "CHF", "GBP", "JPY", "CNY", "INR", "AUD", "CAD", "SEK",
      "NOK", "DKK", "PLN", "BRL", "Rs",  "Rs.", "kr",  "Fr.", "US$", "R$"};
  if (std::ranges::find(kCurrencies, unit) != kCurrencies.end()) return true;
  return std::ranges::none_of(unit, [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '#' || c == '@' || c == '/' ||
           c == '(' || c == '<' || c == '>' || c == '_' || c == '*' || c == '=' || c == '~';
  });
}

// The one unit that values of the column have, "" when none has one. std::nullopt for a column of
// other texts.
std::optional<std::string> UnitOfColumn(const std::vector<std::string_view>& values) {
  std::string unit;
  int64_t num_fitting = 0;
  for (const std::string_view value : values) {
    const auto found = UnitOf(value);
    if (!found) continue;
    if (!found->empty()) {
      if (!unit.empty() && *found != unit) return std::nullopt;
      if (unit.empty() && !value.ends_with(*found) && !MayBeBefore(*found)) return std::nullopt;
      unit = *found;
    }
    ++num_fitting;
  }
  if (num_fitting * 100 < static_cast<int64_t>(values.size()) * 95) return std::nullopt;
  return unit;
}

// The evidence of a column about notations.
struct Vote {
  std::array<double, kNumNotations> scores = {};
  std::array<std::string, kNumNotations> examples = {};
};

bool Has(std::string_view text, char separator) {
  if (separator == '\0') return false;
  if (separator == ' ') {
    return text.find(' ') != text.npos || text.find("\xc2\xa0") != text.npos ||
           text.find("\xe2\x80\xaf") != text.npos;
  }
  return text.find(separator) != text.npos ||
         (separator == '\'' && text.find("\xe2\x80\x99") != text.npos);
}

bool Reads(std::string_view value, const NumberNotation& notation) {
  double number = 0;
  return !ParseWrittenNumber(value, notation, number);
}

// Whether the values without a separator are as small as those of which a separator takes no part:
// 567 beside 1.234, but neither 1.5 nor 1234.
bool LooksGrouped(const std::vector<std::string_view>& values, const NumberNotation& notation) {
  int64_t num_small = 0, num_twice = 0;
  for (const std::string_view value : values) {
    const auto separators = std::ranges::count(value, notation.thousands);
    num_twice += separators > 1 || (separators == 1 && Has(value, notation.decimal));
    if (Has(value, notation.thousands)) continue;
    const auto digits = std::ranges::count_if(
        value.substr(0, value.find(notation.decimal)),
        [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); });
    if (digits > 3) return false;
    num_small += digits > 0;
  }
  return num_small > 0 || num_twice > 0;
}

Vote VoteOf(const std::vector<std::string_view>& values, const std::string& unit) {
  Vote vote;
  for (size_t place = 0; place < kNumNotations; ++place) {
    const auto [decimal, thousands] = kUsualNotations[place];
    const NumberNotation notation{.decimal = decimal, .thousands = thousands, .unit = unit};
    int64_t num_read = 0;
    bool has_decimal = false, has_thousands = false;
    for (const std::string_view value : values) {
      if (!Reads(value, notation)) continue;
      ++num_read;
      has_decimal |= Has(value, decimal);
      const bool groups = thousands == ' ' ? !Reads(value, {.decimal = decimal, .unit = unit})
                                           : Has(value, thousands);
      if (groups && (vote.examples[place].empty() || !has_thousands)) vote.examples[place] = value;
      has_thousands |= groups;
      if (!has_thousands && has_decimal && vote.examples[place].empty())
        vote.examples[place] = value;
    }
    if (num_read * 100 < static_cast<int64_t>(values.size()) * 95) continue;
    const bool grouped = has_thousands && LooksGrouped(values, notation);
    vote.scores[place] = grouped ? 2 : has_thousands ? 0.25 : has_decimal ? 1 : 0.5;
    if (thousands != '\0' && !has_thousands) vote.scores[place] *= 0.9;
  }
  return vote;
}

}  // namespace

GuessedNumbers GuessNumbers(const SampledTable& table, std::optional<char> decimal) {
  GuessedNumbers guessed;
  std::array<double, kNumNotations> scores = {};
  std::vector<Vote> votes;
  std::map<std::string, std::string> units;
  for (const SampledColumn& column : table.columns) {
    const std::vector<std::string_view> values = SomeValues(column);
    const auto unit = values.empty() ? std::nullopt : UnitOfColumn(values);
    if (!unit) continue;
    Vote vote = VoteOf(values, *unit);
    if (std::ranges::max(vote.scores) == 0) continue;
    if (!unit->empty()) units[column.name] = *unit;
    for (size_t place = 0; place < kNumNotations; ++place) scores[place] += vote.scores[place];
    votes.push_back(std::move(vote));
  }
  size_t best = decimal == ',' ? 1 : 0;
  for (size_t place = 0; place < kNumNotations; ++place) {
    if (decimal && kUsualNotations[place].first != *decimal) continue;
    if (scores[place] > scores[best]) best = place;
  }
  const auto [point, thousands] = kUsualNotations[best];
  guessed.numbers = {.decimal = point, .thousands = thousands, .units = {}};
  for (const auto& [column, unit] : units) guessed.numbers.units.emplace(column, unit);
  for (const Vote& vote : votes) {
    const std::string& example = vote.examples[best];
    if (example.empty() || vote.scores[best] == 0) continue;
    (thousands == '\0' ? guessed.decimal_example : guessed.thousands_example) = example;
    // The same texts are other numbers where the separator is before a fraction.
    for (size_t other = 0; other < 2; ++other) {
      const bool ambiguous = thousands == kUsualNotations[other].first && vote.scores[other] > 0 &&
                             !decimal && Has(example, thousands);
      if (!ambiguous) continue;
      guessed.unknown = fmt::format(
          "whether {} is a number of thousands or has a fraction: it was taken for thousands; "
          "--decimal '{}' says otherwise",
          Quoted(example), thousands);
    }
    break;
  }
  return guessed;
}

}  // namespace tidemill
