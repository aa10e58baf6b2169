// Computes expressions for single rows, for tests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "expressions/expression.h"

namespace tidemill::expressions {

// Texts by the names of their columns. An empty text is null.
using Row = std::map<std::string, std::string>;

// Returns the value as text, "null", or the message of the mistake. Times without a zone are on the
// clock of `time_zone`.
std::string ValueOf(std::string_view text, const Row& row = {},
                    const std::string& time_zone = "UTC");
std::string ValueOfFloat(std::string_view text, float x);

// Returns what Compile() says where the columns are price (number), user (whole), name (text),
// valid (truth) and at (time), and with `others` further ones.
absl::Status StatusOf(std::string_view text, std::optional<Type> wanted = std::nullopt,
                      bool others = false);

}  // namespace tidemill::expressions
