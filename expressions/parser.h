// Parses the text of an expression.
#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "expressions/syntax.h"

namespace tidemill::expressions {

// Texts are at most this long, which bounds their chains of operators, and brackets at most this
// deep.
inline constexpr size_t kMaxExpressionBytes = 4 << 10;
inline constexpr int kMaxExpressionDepth = 64;

// From the loosest to the tightest:
//
//     or < and < not < = != < <= > >= in between is < + - < * / % < - (sign) < ^ < split(...)[n]
//
// `^` and the sign of its exponent bind to the right; everything else binds to the left. `case` and
// `if` become calls of "if", and a list after `in` becomes the further arguments of "in".
// INVALID_ARGUMENT, with the place.
absl::StatusOr<std::unique_ptr<Node>> Parse(std::string_view text);

// Whether a column of this name is written without double quotes.
bool IsPlainName(std::string_view name);

}  // namespace tidemill::expressions
