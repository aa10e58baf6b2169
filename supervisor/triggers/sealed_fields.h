// Named numbers of a sealed state. A reader answers DATA_LOSS for a field that is not there or is
// of another kind, and leaves the value as it was.
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
// A field that is a list; valid as long as `state` is.
absl::StatusOr<const nlohmann::json*> SealedList(const nlohmann::json& state,
                                                 const std::string& name);
// A field of any kind; as above.
absl::StatusOr<const nlohmann::json*> SealedField(const nlohmann::json& state,
                                                  const std::string& name);

}  // namespace tidemill::supervisor
