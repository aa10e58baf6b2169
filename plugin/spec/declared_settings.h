// The settings that a plug-in declares, and the check of a pipeline's `with` against them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "config/documents/problems.h"
#include "config/types.h"

namespace tidemill::plugin {

enum class SettingType { kNumber, kInteger, kBoolean, kText, kNumbers, kTexts };

struct DeclaredSetting {
  std::string name;
  SettingType type = SettingType::kNumber;
  std::string doc = {};
  // Without it the setting is required.
  std::optional<nlohmann::json> default_value = std::nullopt;
  // Bounds of numbers, both inclusive.
  std::optional<double> min = std::nullopt;
  std::optional<double> max = std::nullopt;
  // The allowed texts; empty when all are allowed.
  std::vector<std::string> choices = {};
};

// "number", "list of texts".
std::string_view PhraseOf(SettingType type);

// Reads the `settings` of a description (docs/formats/plugin_protocol.md). INVALID_ARGUMENT names
// the setting that is wrong.
absl::StatusOr<std::vector<DeclaredSetting>> ReadDeclared(const nlohmann::json& settings);

// Returns the values for `create`: the values of `with`, and defaults. Notes unknown names (with
// the closest known name), wrong types, values out of bounds and missing settings, at "with.NAME".
nlohmann::json SettingsOf(const std::vector<DeclaredSetting>& declared,
                          const std::map<std::string, config::OpenValue>& with,
                          config::Problems& problems);

}  // namespace tidemill::plugin
