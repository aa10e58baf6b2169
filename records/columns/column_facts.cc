#include "records/columns/column_facts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>

#include "absl/strings/ascii.h"

#include "base/numbers/written_number.h"
#include "records/columns/column_kind.h"
#include "records/columns/word_count.h"

namespace tidemill {
namespace {

constexpr std::array<std::string_view, 24> kMissingWords = {
    "",     "NA",   "N/A",  "n/a",     "na",      "NaN",  "nan", "NAN",
    "null", "NULL", "Null", "None",    "none",    "?",    "-",   "--",
    ".",    "\\N",  "#N/A", "missing", "Missing", "<NA>", "nil", "#VALUE!"};

// Estimates how many texts are different from the share of the bits that their hashes set.
class DifferentTexts {
 public:
  void Add(std::string_view text) {
    if (bits_.empty()) bits_.resize(kBits / 64);
    const uint64_t hash = Mixed(std::hash<std::string_view>()(text)) % kBits;
    bits_[hash / 64] |= uint64_t{1} << hash % 64;
  }

  int64_t Estimate() const {
    int64_t set = 0;
    for (const uint64_t bits : bits_) set += std::popcount(bits);
    const double free = static_cast<double>(std::max<int64_t>(1, kBits - set));
    return std::llround(-static_cast<double>(kBits) * std::log(free / kBits));
  }

 private:
  static constexpr int64_t kBits = int64_t{1} << 19;
  static uint64_t Mixed(uint64_t hash) {
    hash ^= hash >> 32;
    return hash * 0x9E3779B97F4A7C15 >> 20;
  }

  std::vector<uint64_t> bits_;
};

bool AllDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, absl::ascii_isdigit);
}

class Gatherer {
 public:
  Gatherer(ColumnFacts& facts, const NumberNotation& notation)
      : facts_(facts), notation_(notation) {}

  // `text` is the first one of a file, or of a part of it.
  void BeginPart(size_t file) {
    follows_ = false;
    if (!file_ || *file_ != file) of_file_.reset();
    file_ = file;
  }

  void Add(std::string_view value) {
    ++facts_.num_rows;
    const std::string_view text = WithoutBlanksAround(value);
    if (IsMissingWord(text)) {
      ++facts_.num_missing;
      ++facts_.missing_words[std::string(text)];
      return;
    }
    facts_.has_blanks |= text.size() != value.size();
    const WordCount found = CountWords(text);
    facts_.num_words += found.words;
    facts_.num_undivided += found.undivided;
    TakeOfFile(text);
    AddNumber(text);
    Count(text);
  }

  void Finish() {
    facts_.num_different = facts_.more_distinct
                               ? std::max(facts_.num_distinct(), different_.Estimate())
                               : facts_.num_distinct();
  }

 private:
  void TakeOfFile(std::string_view text) {
    if (!of_file_) {
      of_file_ = std::string(text);
      ++facts_.num_files;
    } else if (facts_.is_constant_in_files) {
      facts_.is_constant_in_files = *of_file_ == text;
    }
  }

  void Count(std::string_view text) {
    word_ = text;
    if (const auto found = facts_.counts.find(word_); found != facts_.counts.end()) {
      ++found->second;
    } else if (facts_.counts.size() < ColumnFacts::kMostDistinct) {
      facts_.counts.emplace(text, 1);
      different_.Add(text);
    } else {
      facts_.more_distinct = true;
      different_.Add(text);
    }
  }

  void AddNumber(std::string_view text) {
    double number = 0;
    if (ParseWrittenNumber(text, notation_, number)) {
      follows_ = false;
      return;
    }
    const bool first = facts_.num_numbers++ == 0;
    const bool whole = number == std::floor(number) && text.find(notation_.decimal) == text.npos;
    facts_.num_whole += whole;
    facts_.rises &= first || number >= last_;
    facts_.falls &= first || number <= last_;
    facts_.least = first ? number : std::min(facts_.least, number);
    facts_.greatest = first ? number : std::max(facts_.greatest, number);
    if (follows_) {
      ++facts_.steps.num_steps;
      facts_.steps.num_up += number - last_ == 1;
      facts_.steps.num_down += last_ - number == 1;
      facts_.steps.num_rising += number > last_;
      facts_.steps.num_falling += number < last_;
      facts_.steps.risen += std::max(0.0, number - last_);
      facts_.steps.fallen += std::max(0.0, last_ - number);
    }
    last_ = number;
    follows_ = true;
    TakeWriting(text);
  }

  void TakeWriting(std::string_view text) {
    NumberWriting& writing = facts_.writing;
    if (text.front() == '-' || text.front() == '+') return;  // Codes have no sign.
    if (AllDigits(text)) {
      const auto digits = static_cast<int64_t>(text.size());
      writing.num_leading_zeros += digits > 1 && text.front() == '0';
      writing.least_digits =
          writing.most_digits == 0 ? digits : std::min(writing.least_digits, digits);
      writing.most_digits = std::max(writing.most_digits, digits);
      return;
    }
    const size_t exponent = text.find_first_of("eE");
    writing.num_bare_exponents += exponent != text.npos && AllDigits(text.substr(0, exponent)) &&
                                  AllDigits(text.substr(exponent + 1));
  }

  ColumnFacts& facts_;
  const NumberNotation notation_;
  double last_ = 0;
  bool follows_ = false;  // The record before this one in the file has a number, `last_`.
  std::optional<size_t> file_;
  std::optional<std::string> of_file_;  // The first value of the file.
  std::string word_;
  DifferentTexts different_;
};

}  // namespace

bool IsMissingWord(std::string_view text) {
  text = WithoutBlanksAround(text);
  return text.size() <= 7 && std::ranges::find(kMissingWords, text) != kMissingWords.end();
}

bool IsNumber(std::string_view text, const NumberNotation& notation) {
  double number = 0;
  return !ParseWrittenNumber(text, notation, number);
}

ColumnFacts FactsOf(const SampledColumn& column, const NumberNotation& notation,
                    std::span<const TablePart> parts) {
  ColumnFacts facts{.name = column.name};
  Gatherer gatherer(facts, notation);
  size_t part = 0;
  for (size_t row = 0; row < column.values.size(); ++row) {
    for (; part < parts.size() && parts[part].first_row == row; ++part) {
      gatherer.BeginPart(parts[part].file);
    }
    gatherer.Add(column.values[row]);
  }
  gatherer.Finish();
  SetKind(facts);
  return facts;
}

}  // namespace tidemill
