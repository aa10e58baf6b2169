// The literals of `x in (1, 2, null)`.
#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "expressions/program.h"
#include "expressions/syntax.h"
#include "expressions/type.h"

namespace tidemill::expressions {

// Makes the setting of MemberKernel(type) from the arguments of `call` after the first.
// `as_float`: the numbers are rounded to floats. `text` is the expression, for the places of
// mistakes.
absl::StatusOr<std::shared_ptr<const Setting>> MembersOf(std::string_view text, const Node& call,
                                                         Type type, bool as_float);

}  // namespace tidemill::expressions
