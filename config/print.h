// The canonical printer: values as YAML.
#pragma once

#include <string>

#include "config/type.h"

namespace tidemill::config::internal {

// Prints every field of `value`, which has that type, in the order of Fields(). Equal values give
// equal text. With `redact`, secrets are shown as "<secret>".
std::string PrintValue(const Type& type, const void* value, bool redact);

}  // namespace tidemill::config::internal
