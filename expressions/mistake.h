// Makes the messages of mistakes in an expression, with advice.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "expressions/functions.h"
#include "expressions/syntax.h"
#include "expressions/type.h"

namespace tidemill::expressions {

// "line 2, column 9", or "column 9" in a text of one line. Columns count characters, from 1.
std::string PlaceIn(std::string_view text, size_t at);

// INVALID_ARGUMENT: "column 9 of 'arr_delay >> 15': a value is expected".
absl::Status MistakeAt(std::string_view text, size_t at, std::string_view message);

template <typename... Args>
absl::Status Mistake(std::string_view text, size_t at, fmt::format_string<Args...> format,
                     Args&&... args) {
  return MistakeAt(text, at, fmt::format(format, std::forward<Args>(args)...));
}

// Returns the name of a column as an expression writes it: in double quotes where it needs them.
std::string WrittenName(std::string_view name);

// What people may have meant with a column that is none of `names`: "; did you mean 'price'?", or
// that texts have quotes. `text` is the expression.
std::string AdviceOnName(std::string_view text, const Node& column,
                         const std::vector<std::string>& names);

// What to write for operands of a comparison none of which has a type, which are columns and nulls.
std::string AdviceOnOperands(std::span<const Node* const> operands);

struct TypedNode {
  const Node& node;
  Type type;
};
// The mistake of a call whose arguments have no type in common.
absl::Status NoCommonType(std::string_view text, const Node& call, const TypedNode& a,
                          const TypedNode& b);

// The mistake of a call with a number of arguments that none of the overloads has.
absl::Status WrongCount(std::string_view text, const Function& function, const Node& call);
// Checks the number of arguments of a call.
absl::Status CheckCount(std::string_view text, const Node& call, size_t least, size_t most);

}  // namespace tidemill::expressions
