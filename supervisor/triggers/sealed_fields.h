// Reads and writes the named numbers of a sealed state. A reader returns DATA_LOSS when the field
// is missing or of another kind, and then leaves the value unchanged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "base/time.h"

namespace tidemill::supervisor {

nlohmann::json SealCut(const std::optional<Cut>& cut);

absl::Status ReadSealed(const nlohmann::json& state, const std::string& name, int64_t& value);
absl::Status ReadSealed(const nlohmann::json& state, const std::string& name, uint64_t& value);
absl::Status ReadSealed(const nlohmann::json& state, const std::string& name, double& value);
absl::Status ReadSealed(const nlohmann::json& state, const std::string& name, bool& value);
absl::Status ReadSealed(const nlohmann::json& state, const std::string& name,
                        std::optional<Cut>& value);
// Returns a field that is a list. It is valid as long as `state` is.
absl::StatusOr<const nlohmann::json*> SealedList(const nlohmann::json& state,
                                                 const std::string& name);
// Returns a field of any kind. It is valid as long as `state` is.
absl::StatusOr<const nlohmann::json*> SealedField(const nlohmann::json& state,
                                                  const std::string& name);

}  // namespace tidemill::supervisor
