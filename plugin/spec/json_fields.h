// Reads fields of messages from another process: any field may be missing, or of the wrong type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nlohmann/json.hpp"

namespace tidemill::plugin {

// Returns "" when the field is not a text.
inline std::string TextAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

inline std::optional<double> NumberAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

// Returns a whole number that is not negative; std::nullopt for anything else.
inline std::optional<int64_t> CountAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer() || found->get<int64_t>() < 0) {
    return std::nullopt;
  }
  return found->get<int64_t>();
}

// Returns false when the field is not a boolean.
inline bool BoolAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

// Returns an empty object when the field is not an object.
inline nlohmann::json ObjectAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : nlohmann::json::object();
}

// Returns an empty list when the field is not a list.
inline nlohmann::json ListAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : nlohmann::json::array();
}

}  // namespace tidemill::plugin
