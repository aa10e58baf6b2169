// Patterns of paths.
#pragma once

#include <string_view>

namespace tidemill::storage {

// `*` is any text without a slash, `**` any text, `**/` any folders or none, `?` one character that
// is no slash.
bool GlobMatches(std::string_view glob, std::string_view path);

}  // namespace tidemill::storage
