// Matches paths against patterns.
#pragma once

#include <string_view>

namespace tidemill::storage {

// `*` matches any text without a slash. `**` matches any text. `**/` matches any folders, or none.
// `?` matches one character other than a slash.
bool GlobMatches(std::string_view glob, std::string_view path);

}  // namespace tidemill::storage
