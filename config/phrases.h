// Describes types, defaults and limits in words, for the reference page and `tidemill explain`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/type.h"

namespace tidemill::config::internal {

// The fields of a struct type. They point into a default value that `keeper` keeps alive.
struct FieldList {
  std::shared_ptr<void> keeper;
  std::vector<Member> fields;
};
FieldList FieldsOf(const Type& type);

// Returns the member that stands for the whole struct, because its key is empty: `filter: "a > 0"`
// instead of keys below `filter`. It points into `value`. std::nullopt for other structs.
std::optional<Member> SoleValueOf(const Type& type, void* value);

// Returns the tags of a variant's alternatives.
std::vector<std::string> TagsOf(const Type& type);

// Whether an empty section is not a complete value of the struct.
bool HasRequiredKeys(const Type& type);

// Returns the type below optionals, lists and maps.
const Type& CoreOf(const Type& type);

// "whole number", "list of text", "one of cpu, cuda", "section".
std::string TypePhrase(const Type& type);

// Returns the place where a key that the struct lacks is valid: another alternative of its variant,
// or one section below. "" when neither has it.
std::string PlaceOfKey(const std::string& key, const Type& type, const Type* variant);

// Returns the text up to its first full stop, for tables.
std::string FirstSentence(std::string_view text);

// "64MiB", "required", "none". "" for sections, whose keys have their own defaults.
std::string DefaultPhrase(const Member& member);

// "at least 1", "1 to 10", "1 to 5 entries". "" without limits.
std::string LimitsPhrase(const Member& member);

// Returns the correct form of a share that was written in percent; "" for other values.
std::string PercentHint(const Type& type, const Limits& limits, double value);

}  // namespace tidemill::config::internal
