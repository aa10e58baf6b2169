// Describes one key of a type in words, for `tidemill explain`.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

#include "config/type.h"

namespace tidemill::config::internal {

// Describes the key at `path`, such as "training.optimizer.lr"; "" is the whole. List positions may
// be left out. Any name stands for a map's key. NOT_FOUND names the closest key.
absl::StatusOr<std::string> ExplainKey(const Type& type, std::string_view path);

}  // namespace tidemill::config::internal
