// Expressions over the columns of samples, as people write them in pipelines:
//
//     arr_delay >= 15
//     weekday(date) >= 6 and lower(country) in ('de', 'ch')
//
// docs/guides/columns.md describes the language.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers/written_number.h"
#include "base/status.h"
#include "expressions/program.h"
#include "expressions/syntax.h"
#include "expressions/type.h"

namespace tidemill::expressions {

// The text of a well-formed expression, without types. Immutable, so thread-safe; copies are cheap.
class Expression {
 public:
  // INVALID_ARGUMENT: "column 11 of 'arr_delay >> 15': a value is expected before '> 15'".
  static absl::StatusOr<Expression> Parse(std::string_view text);

  const std::string& text() const { return *text_; }
  // Returns the columns that it names, in the order of their first appearance, each once.
  const std::vector<std::string>& columns() const { return *columns_; }
  const Node& root() const { return *root_; }

 private:
  Expression() = default;

  std::shared_ptr<const std::string> text_;
  std::shared_ptr<const Node> root_;
  std::shared_ptr<const std::vector<std::string>> columns_;
};

// The known properties of a column.
struct KnownColumn {
  std::string name;
  // std::nullopt for texts that are read as the expression needs them: as numbers where it compares
  // them with a number, as times where it takes their hour.
  std::optional<Type> type = std::nullopt;
  // A column of floats. A literal that is compared with it is also rounded to a float, so that x =
  // 0.1 is true when the record contains 0.1.
  bool is_float = false;
};

struct KnownColumns {
  std::vector<KnownColumn> columns = {};
  // Whether columns of other names are texts that are read as needed. Otherwise they are mistakes.
  bool others = false;
  // How numbers are written in texts, for number(x).
  NumberNotations numbers = {};
  // The zone of the clock by which times are read and divided into parts, unless the expression
  // names another one.
  std::string time_zone = "UTC";
};

// Finds the types and compiles. The result needs no column that the expression does not name.
// `wanted`: the type that the result must have; a whole number is a number, too. INVALID_ARGUMENT
// for a mistake, with its place: an unknown column or function, with the closest one; arguments of
// other types or another number; a column of unknown type; a result of another type.
absl::StatusOr<std::shared_ptr<const Program>> Compile(const Expression& expression,
                                                       const KnownColumns& columns,
                                                       std::optional<Type> wanted = std::nullopt);

}  // namespace tidemill::expressions
