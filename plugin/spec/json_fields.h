// Fields of messages that come from another process: any of them may be missing, or of another
// kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nlohmann/json.hpp"

namespace tidemill::plugin {

// "" where there is no text.
inline std::string TextAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

inline std::optional<double> NumberAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

// A whole number that is not negative.
inline std::optional<int64_t> CountAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer() || found->get<int64_t>() < 0) {
    return std::nullopt;
  }
  return found->get<int64_t>();
}

// False where there is no truth value.
inline bool BoolAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

// Empty where there is no object.
inline nlohmann::json ObjectAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : nlohmann::json::object();
}

// Empty where there is no list.
inline nlohmann::json ListAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : nlohmann::json::array();
}

}  // namespace tidemill::plugin
