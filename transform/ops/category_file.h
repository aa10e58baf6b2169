// The categories of a one_hot op that stand in a file of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace tidemill::transform {

// The lines of a file's text, in order; blank ones and carriage returns at the ends are left out.
// INVALID_ARGUMENT, which calls the file `name`, for one without lines, with more than 20,000 or
// the same one twice, or with bytes that a YAML document cannot hold.
absl::StatusOr<std::vector<std::string>> CategoriesOf(std::string_view text,
                                                      const std::string& name);

}  // namespace tidemill::transform
