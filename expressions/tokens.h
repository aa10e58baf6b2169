// Cuts the text of an expression into tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "expressions/syntax.h"

namespace tidemill::expressions {

struct Token {
  enum class Kind : uint8_t {
    kLiteral,  // A number or a text.
    kName,     // A column, a function or a word such as `and`.
    kColumn,   // A column's name in double quotes.
    kSign,     // An operator, a bracket or a comma.
    kEnd
  };

  Kind kind = Kind::kEnd;
  size_t at = 0;
  std::string text = {};  // For names and signs.
  Literal literal = {};

  bool Is(std::string_view sign) const { return kind == Kind::kSign && text == sign; }
};

// The last token is of the kind kEnd. INVALID_ARGUMENT, with the place, when the text cannot be
// cut: a quote is not closed, a number is too large, an unknown character.
absl::StatusOr<std::vector<Token>> Tokenize(std::string_view text);

}  // namespace tidemill::expressions
