// The common properties of a column's values.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers/written_number.h"
#include "records/columns/sampled_table.h"

namespace tidemill {

// Whether the text is a usual mark of a missing value: "", NA, ?, null and similar words.
bool IsMissingWord(std::string_view text);

// Whether the text is a finite number, read as parse_csv does.
bool IsNumber(std::string_view text, const NumberNotation& notation);

enum class ColumnKind {
  kEmpty,     // No value at all.
  kConstant,  // One value only.
  kNumber,
  kCategory,    // Texts, few of which are different.
  kManyValues,  // Texts without blanks, many of which are different.
  kIdentifier,  // A different value in each row, without a meaning.
  kCounter,     // A whole number that counts the records.
  kWords,       // Texts of several words.
};

// How whole numbers change from one record of a file to the next.
struct NumberSteps {
  int64_t num_steps = 0;
  int64_t num_up = 0;    // By one.
  int64_t num_down = 0;  // By one.
  int64_t num_rising = 0;
  int64_t num_falling = 0;
  double risen = 0;  // The sum of all steps up.
  double fallen = 0;
};

// The details of the notation that are lost when the numbers are read as numbers.
struct NumberWriting {
  int64_t num_leading_zeros = 0;   // 01001, but neither 0 nor 0.5.
  int64_t num_bare_exponents = 0;  // 1E5, but neither 1.0E5 nor 1e-5.
  int64_t least_digits = 0;        // Counted in whole numbers.
  int64_t most_digits = 0;
};

struct ColumnFacts {
  std::string name = {};
  ColumnKind kind = ColumnKind::kEmpty;
  // The evidence for the kind: "whole numbers that begin with 0". Empty: the values themselves.
  std::string because = {};
  // An open question about the kind, and its remedy.
  std::string question = {};
  int64_t num_rows = 0;
  int64_t num_missing = 0;
  int64_t num_numbers = 0;
  int64_t num_whole = 0;
  int64_t num_words = 0;      // In all values that are not missing.
  int64_t num_undivided = 0;  // Letters of scripts without blanks between words.
  int64_t num_odd = 0;        // In a column of numbers: texts that are neither numbers nor missing.
  double least = 0;           // The least one of the numbers.
  double greatest = 0;
  bool rises = true;        // Each number is at least the one before it.
  bool falls = true;        // Each number is at most the one before it.
  bool has_blanks = false;  // Around a value.
  NumberSteps steps = {};
  NumberWriting writing = {};
  int64_t num_files = 0;             // That have values of the column.
  bool is_constant_in_files = true;  // Each file has one value only.
  std::map<std::string, int64_t> missing_words = {};
  // How often each value occurs; it ends at kMostDistinct.
  std::map<std::string, int64_t> counts = {};
  bool more_distinct = false;
  int64_t num_different = 0;  // All values, by an estimate where `counts` has not all of them.

  static constexpr size_t kMostDistinct = 2000;

  int64_t num_values() const { return num_rows - num_missing; }
  bool all_whole() const { return num_numbers > 0 && num_whole == num_numbers; }
  int64_t num_distinct() const { return static_cast<int64_t>(counts.size()); }
  // Whether the column tells nothing but the file: each has its own value, or few share one.
  bool names_files() const {
    return num_files > 1 && is_constant_in_files && num_distinct() > 1 && !more_distinct;
  }
};

// `parts`: where files begin in the column; without them all rows are of one file.
ColumnFacts FactsOf(const SampledColumn& column, const NumberNotation& notation,
                    std::span<const TablePart> parts = {});

}  // namespace tidemill
