#include "supervisor/statistics/sealed_state.h"

namespace tidemill::supervisor::statistics::internal {
namespace {

bool Read(const nlohmann::json& json, bool& value) {
  if (!json.is_boolean()) return false;
  value = json.get<bool>();
  return true;
}

bool Read(const nlohmann::json& json, int64_t& value) {
  if (!json.is_number_integer()) return false;
  value = json.get<int64_t>();
  return true;
}

bool Read(const nlohmann::json& json, double& value) {
  if (!json.is_number()) return false;
  value = json.get<double>();
  return true;
}

template <typename Value>
bool Read(const nlohmann::json& json, std::vector<Value>& values) {
  if (!json.is_array()) return false;
  values.resize(json.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (!Read(json[i], values[i])) return false;
  }
  return true;
}

bool Read(const nlohmann::json& json, std::optional<Cut>& cut) {
  cut.reset();
  if (json.is_null()) return true;
  std::vector<int64_t> numbers;
  if (!Read(json, numbers) || numbers.size() != 2) return false;
  cut = Cut{{numbers[0]}, {numbers[1]}};
  return true;
}

template <typename Value>
absl::Status ReadNamed(const nlohmann::json& sealed, std::string_view name, Value& value) {
  const auto found = sealed.find(std::string(name));
  if (found == sealed.end()) return DataLoss("sealed state has no '{}'", name);
  if (!Read(*found, value)) return DataLoss("'{}' of sealed state is of another type", name);
  return absl::OkStatus();
}

}  // namespace

nlohmann::json SealMember(const std::optional<Cut>& member) {
  if (!member) return nullptr;
  return {member->event_time.micros, member->sample_key.value};
}

absl::Status ReadMember(const nlohmann::json& sealed, std::string_view name, bool& member) {
  return ReadNamed(sealed, name, member);
}
absl::Status ReadMember(const nlohmann::json& sealed, std::string_view name, int64_t& member) {
  return ReadNamed(sealed, name, member);
}
absl::Status ReadMember(const nlohmann::json& sealed, std::string_view name, double& member) {
  return ReadNamed(sealed, name, member);
}
absl::Status ReadMember(const nlohmann::json& sealed, std::string_view name,
                        std::optional<Cut>& member) {
  return ReadNamed(sealed, name, member);
}
absl::Status ReadMember(const nlohmann::json& sealed, std::string_view name,
                        std::vector<int64_t>& member) {
  return ReadNamed(sealed, name, member);
}
absl::Status ReadMember(const nlohmann::json& sealed, std::string_view name,
                        std::vector<double>& member) {
  return ReadNamed(sealed, name, member);
}

}  // namespace tidemill::supervisor::statistics::internal
