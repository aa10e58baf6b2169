// The settings that a plug-in declares, and the values that an instance gets.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "plugin/include/tidemill/plugin.h"

namespace tidemill::plugin::host {

// Returns the settings in the form of a description. INVALID_ARGUMENT for a setting without a name,
// of an unknown type, or with a default that it does not allow.
absl::StatusOr<nlohmann::json> DescribeSettings(const std::vector<TidemillSetting>& settings);

// The values of all settings. Movable, not copyable: the values point to memory of this object,
// which a move keeps in place.
class Values {
 public:
  // INVALID_ARGUMENT for an unknown setting, one that is missing, or a value that a setting does
  // not allow.
  static absl::StatusOr<Values> Read(const std::vector<TidemillSetting>& settings,
                                     const nlohmann::json& given);
  Values(Values&&) noexcept = default;

  const std::vector<TidemillValue>& all() const { return all_; }

 private:
  Values() = default;
  void Add(const TidemillSetting& setting, const nlohmann::json& value);
  const char* Keep(const nlohmann::json& text);

  std::vector<TidemillValue> all_;
  std::deque<std::string> texts_;
  std::deque<std::vector<double>> numbers_;
  std::deque<std::vector<const char*>> lists_;
};

}  // namespace tidemill::plugin::host
