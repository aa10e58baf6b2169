// Settings of a plug-in: what it declares, and what an instance gets.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "plugin/include/tidemill/plugin.h"

namespace tidemill::plugin::host {

// As a description has them. INVALID_ARGUMENT for a setting without a name, of an unknown type, or
// with a default that it would not take.
absl::StatusOr<nlohmann::json> DescribeSettings(const std::vector<TidemillSetting>& settings);

// The values of all settings. What they point at stays where it is; a value is moved, not copied.
class Values {
 public:
  // INVALID_ARGUMENT for a setting that there is not, one that is missing, or a value that it does
  // not take.
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
