// Finds the op of a graph that a pipeline names.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill::loader {

// Returns the place, from 0, of the op with this type or this place, from 1, among the types of the
// ops as written. INVALID_ARGUMENT when there is none, or when several have the type.
absl::StatusOr<int> OpNamed(std::string_view name, std::span<const std::string> types);

}  // namespace tidemill::loader
