// The JSON Schema of a type, for editors.
#pragma once

#include "nlohmann/json_fwd.hpp"

#include "config/type.h"

namespace tidemill::config::internal {

// Returns the schema as Draft-07.
nlohmann::ordered_json SchemaOf(const Type& type);

}  // namespace tidemill::config::internal
