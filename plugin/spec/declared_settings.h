// What a plug-in says of its settings, and whether a pipeline's `with` is that.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "config/problems.h"
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
  // Texts that are allowed; empty: all.
  std::vector<std::string> choices = {};
};

// "number", "list of texts".
std::string_view PhraseOf(SettingType type);

// The `settings` of a description (docs/formats/plugin_protocol.md). INVALID_ARGUMENT for what is
// none: it says which setting is wrong.
absl::StatusOr<std::vector<DeclaredSetting>> ReadDeclared(const nlohmann::json& settings);

// The values for `create`: those of `with`, and defaults. Notes unknown names, with the closest one
// that there is, wrong types, bounds and what is missing, at "with.NAME".
nlohmann::json SettingsOf(const std::vector<DeclaredSetting>& declared,
                          const std::map<std::string, config::OpenValue>& with,
                          config::Problems& problems);

}  // namespace tidemill::plugin
