// Reads the categories of a one_hot op from a file of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace tidemill::transform {

// Returns the lines of a file's text, in order. Blank lines and carriage returns at the ends of
// lines are left out. INVALID_ARGUMENT when the file has no lines, more than 20,000 lines, the same
// line twice, or bytes that a YAML document cannot hold. The message calls the file `name`.
absl::StatusOr<std::vector<std::string>> CategoriesOf(std::string_view text,
                                                      const std::string& name);

}  // namespace tidemill::transform
