// Reads fields of a message and checks their types.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "nlohmann/json.hpp"

#include "base/status.h"

namespace tidemill::plugin::host {

// Null when `object` has no such field, or is not an object. Valid as long as `object` is.
inline const nlohmann::json& FieldOf(const nlohmann::json& object, const char* name) {
  static const nlohmann::json kNull;
  const auto found = object.find(name);
  return object.is_object() && found != object.end() ? *found : kNull;
}

inline absl::StatusOr<std::string> TextOf(const nlohmann::json& object, const char* name) {
  const nlohmann::json& field = FieldOf(object, name);
  if (!field.is_string()) return InvalidArgument("the request's {} is not a text", name);
  return field.get<std::string>();
}

inline absl::StatusOr<int64_t> WholeOf(const nlohmann::json& object, const char* name) {
  const nlohmann::json& field = FieldOf(object, name);
  if (!field.is_number_integer()) return InvalidArgument("the request's {} is not a number", name);
  return field.get<int64_t>();
}

inline absl::StatusOr<double> NumberOf(const nlohmann::json& object, const char* name) {
  const nlohmann::json& field = FieldOf(object, name);
  if (!field.is_number()) return InvalidArgument("the request's {} is not a number", name);
  return field.get<double>();
}

// INVALID_ARGUMENT for infinity and NaN, which JSON cannot express and decisions must not depend
// on.
inline absl::Status CheckFinite(std::string_view name, double value) {
  if (std::isfinite(value)) return absl::OkStatus();
  return InvalidArgument("{} is {}, which is not a finite number", name, value);
}

}  // namespace tidemill::plugin::host
