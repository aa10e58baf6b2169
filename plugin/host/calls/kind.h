// The calls that a host serves for plug-ins of one kind.
#pragma once

#include <string_view>

#include "nlohmann/json.hpp"

#include "base/status.h"

namespace tidemill::plugin::host {

// An instance of one kind. Its answers are the fields other than "ok".
class Kind {
 public:
  virtual ~Kind() = default;
  // Returns the answer to `create`. The request may have more fields than settings and seed.
  virtual absl::StatusOr<nlohmann::json> Created(const nlohmann::json& request) = 0;
  // INVALID_ARGUMENT for a call that the kind does not have.
  virtual absl::StatusOr<nlohmann::json> Call(std::string_view call,
                                              const nlohmann::json& request) = 0;
};

}  // namespace tidemill::plugin::host
