// The reference page of a type, for people.
#pragma once

#include <string>
#include <string_view>

#include "config/type.h"

namespace tidemill::config::internal {

// Returns Markdown with a table for every section and every choice.
std::string ReferenceOf(const Type& type, std::string_view title);

}  // namespace tidemill::config::internal
