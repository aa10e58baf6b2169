// The literals of a call, such as the format of a time and those of `x in (1, 2, null)`.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "expressions/functions.h"
#include "expressions/program.h"
#include "expressions/syntax.h"
#include "expressions/type.h"

namespace tidemill::expressions {

// Reads a time that an expression writes out. One without a zone is on the clock of `time_zone`.
absl::StatusOr<Timestamp> TimeOfLiteral(const std::string& text, const std::string& time_zone);

// Makes the setting of MemberKernel(type) from the arguments of `call` after the first.
// `as_float`: the numbers are rounded to floats. `text` is the expression, for the places of
// mistakes, and `time_zone` that of its times.
absl::StatusOr<std::shared_ptr<const Setting>> MembersOf(std::string_view text, const Node& call,
                                                         Type type, bool as_float,
                                                         const std::string& time_zone);

// Makes the setting of a call from the literals after its parameters; nullptr when it needs none.
// `text` is the expression, for the places of mistakes. `time_zone` is the clock of a call that
// names no zone.
absl::StatusOr<std::shared_ptr<const Setting>> SettingOf(std::string_view text, const Node& call,
                                                         const Function& function,
                                                         const Overload& overload,
                                                         const std::string& time_zone);

}  // namespace tidemill::expressions
