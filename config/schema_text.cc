// {"type":"object","description":"Fires after every given number of new samples.",
//  "properties":{
//   "samples":{"description":"Number of new samples between two triggers.","type":"integer"},
//   "first":{"description":"The first training comes after this many samples.","type":"integer"}},
//  "required":["samples"],"additionalProperties":false}
#include "config/schema_text.h"

#include <string_view>

#include "nlohmann/json.hpp"

namespace tidemill::config {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLongestLine = 100;

// Whether each member of what `key` holds gets a line.
bool NamesParts(std::string_view key) {
  return key == "properties" || key == "definitions" || key == "oneOf";
}

bool HasParts(const Json& value, std::string_view key) {
  if (!value.is_structured()) return false;
  if (NamesParts(key)) return true;
  for (const auto& item : value.items()) {
    if (HasParts(item.value(), value.is_object() ? item.key() : std::string())) return true;
  }
  return false;
}

bool TakesLines(const Json& value, std::string_view key) {
  return HasParts(value, key) && value.dump().size() > kLongestLine;
}

// Appends `value`, which `key` holds. Its first line continues one.
void Append(std::string& text, const Json& value, std::string_view key, size_t indent) {
  if (!TakesLines(value, key)) {
    text += value.dump();
    return;
  }
  const bool lists_parts = value.is_array() || NamesParts(key);
  bool new_line = lists_parts;
  text += value.is_array() ? '[' : '{';
  for (bool first = true; const auto& item : value.items()) {
    const std::string own_key = value.is_object() ? item.key() : "";
    const bool is_long = TakesLines(item.value(), own_key);
    if (!first) text += ',';
    if (new_line || (is_long && !first)) text += '\n' + std::string(indent + 1, ' ');
    if (value.is_object()) text += Json(own_key).dump() + ':';
    Append(text, item.value(), own_key, indent + 1);
    new_line = lists_parts || is_long;
    first = false;
  }
  text += value.is_array() ? ']' : '}';
}

}  // namespace

std::string SchemaText(const Json& schema) {
  std::string text;
  Append(text, schema, "", 0);
  return text;
}

}  // namespace tidemill::config
