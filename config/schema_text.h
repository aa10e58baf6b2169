// The layout of a JSON Schema as text.
#pragma once

#include <string>

#include "nlohmann/json_fwd.hpp"

namespace tidemill::config {

// Returns the schema with each property, definition and alternative on a line that begins with it.
std::string SchemaText(const nlohmann::ordered_json& schema);

}  // namespace tidemill::config
