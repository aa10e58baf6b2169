// The common properties of a column's values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/init/sampled_table.h"

namespace tidemill::cli {

// Whether the text is a usual mark of a missing value: "", NA, ?, null and similar words.
bool IsMissingWord(std::string_view text);

// Whether the text is a finite number, read as parse_csv does.
bool IsNumber(std::string_view text, char decimal);

enum class ColumnKind {
  kEmpty,     // No value at all.
  kConstant,  // One value only.
  kNumber,
  kCategory,    // Texts, few of which are different.
  kManyValues,  // Texts without blanks, many of which are different.
  kIdentifier,  // A different value in each row, without a meaning.
  kWords,       // Texts of several words.
};

struct ColumnFacts {
  std::string name = {};
  ColumnKind kind = ColumnKind::kEmpty;
  int64_t num_rows = 0;
  int64_t num_missing = 0;
  int64_t num_numbers = 0;
  int64_t num_whole = 0;
  int64_t num_words = 0;  // In all values that are not missing.
  int64_t num_odd = 0;    // In a column of numbers: texts that are neither numbers nor missing.
  double least = 0;       // The least one of the numbers.
  double greatest = 0;
  bool rises = true;        // Each number is at least the one before it.
  bool has_blanks = false;  // Around a value.
  std::map<std::string, int64_t> missing_words = {};
  // How often each value occurs; it ends at kMostDistinct.
  std::map<std::string, int64_t> counts = {};
  bool more_distinct = false;

  static constexpr size_t kMostDistinct = 2000;

  int64_t num_values() const { return num_rows - num_missing; }
  bool all_whole() const { return num_numbers > 0 && num_whole == num_numbers; }
  int64_t num_distinct() const { return static_cast<int64_t>(counts.size()); }
};

ColumnFacts FactsOf(const SampledColumn& column, char decimal);

}  // namespace tidemill::cli
