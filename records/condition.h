// Conditions on the fields of a record, as people write them on a command line:
//
//     user = 17 and country != 'DE'
//
// A condition is one comparison, or several joined with `and`. A comparison is a column, one of
// = != < <= > >=, and a value. A column or a value with blanks, quotes or operators in it is
// written in quotes, single or double; a quote in it is doubled.
//
// Blanks around a field do not count. When the value is written without quotes and both it and the
// field are decimal numbers, they are compared as numbers: whole numbers exactly, whatever their
// length, others as doubles. Otherwise they are compared as bytes. A field that is missing matches
// no comparison, not even !=.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace tidemill {

enum class ComparisonOperator : uint8_t {
  kEqual,
  kUnequal,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual
};

struct Comparison {
  size_t column = 0;  // Its place in Condition::columns().
  ComparisonOperator op = ComparisonOperator::kEqual;
  std::string value;
  // A number that is written without quotes.
  bool is_number = false;
};

// Thread-safe, because it is immutable.
class Condition {
 public:
  // INVALID_ARGUMENT, with the place, when the text is not a condition. An empty text is a
  // condition without a comparison, which every record matches.
  static absl::StatusOr<Condition> Parse(std::string_view text);

  // The names in the order of their first appearance, each once.
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<Comparison>& comparisons() const { return comparisons_; }

  // Whether all comparisons hold. `fields` has the field of each column, std::nullopt for one that
  // is missing.
  bool Matches(std::span<const std::optional<std::string_view>> fields) const;

 private:
  std::vector<std::string> columns_;
  std::vector<Comparison> comparisons_;
};

}  // namespace tidemill
