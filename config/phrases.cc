#include "config/phrases.h"

#include <algorithm>
#include <optional>

#include "fmt/format.h"

#include "config/config.h"
#include "config/scalars.h"

namespace tidemill::config::internal {
namespace {

std::string Range(const std::optional<std::string>& min, const std::optional<std::string>& max) {
  if (min && max) return *min == *max ? "exactly " + *min : fmt::format("{} to {}", *min, *max);
  if (min) return "at least " + *min;
  if (max) return "at most " + *max;
  return "";
}

std::string ItemsRange(const Limits& limits) {
  const auto text = [](std::optional<double> bound) {
    return bound ? std::optional(fmt::format("{}", *bound)) : std::nullopt;
  };
  const std::string range = Range(text(limits.min_items), text(limits.max_items));
  if (range.empty()) return "";
  const bool one = limits.max_items.value_or(limits.min_items.value_or(2)) == 1;
  return range + (one ? " entry" : " entries");
}

// The names of a choice, the first few when there are many.
std::string NameSome(const std::vector<std::string>& names) {
  constexpr size_t kShown = 6;
  if (names.size() <= kShown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, ...", fmt::join(names.begin(), names.begin() + kShown - 1, ", "));
}

// TypePhrase of several: "numbers".
std::string Plural(const Type& type) {
  switch (type.kind) {
    case Kind::kBool:
    case Kind::kNameList:
    case Kind::kNamePairs:
    case Kind::kEnum:
    case Kind::kVariant:
    case Kind::kKeyed:
      return TypePhrase(type);
    case Kind::kOptional:
      return Plural(type.element());
    case Kind::kList:
      return "lists of " + Plural(type.element());
    default:
      return TypePhrase(type) + "s";
  }
}

bool HasKey(const Type& type, const std::string& key) {
  const FieldList list = FieldsOf(type);
  return std::ranges::any_of(list.fields, [&](const Member& field) { return field.key == key; });
}

}  // namespace

FieldList FieldsOf(const Type& type) {
  FieldList list{.keeper = MakeDefault(type), .fields = {}};
  type.members(list.keeper.get(), [&](const Member& field) { list.fields.push_back(field); });
  return list;
}

std::optional<Member> SoleValueOf(const Type& type, void* value) {
  std::optional<Member> sole;
  type.members(value, [&](const Member& member) {
    if (member.key.empty()) sole = member;
  });
  return sole;
}

std::vector<std::string> TagsOf(const Type& type) {
  std::vector<std::string> tags;
  for (const TypeGetter alternative : type.alternatives) tags.emplace_back(alternative().tag);
  return tags;
}

bool HasRequiredKeys(const Type& type) {
  const FieldList list = FieldsOf(type);
  return std::ranges::any_of(list.fields, [](const Member& field) {
    return field.limits.required ||
           (field.type().kind == Kind::kStruct && HasRequiredKeys(field.type()));
  });
}

const Type& CoreOf(const Type& type) {
  return type.element == nullptr ? type : CoreOf(type.element());
}

std::string TypePhrase(const Type& type) {
  switch (type.kind) {
    case Kind::kBool:
      return "true or false";
    case Kind::kInt32:
    case Kind::kInt64:
      return "whole number";
    case Kind::kCount:
      return "count";
    case Kind::kDevice:
      return "device";
    case Kind::kFloat:
    case Kind::kDouble:
      return "number";
    case Kind::kString:
      return "text";
    case Kind::kDuration:
      return "duration";
    case Kind::kTimestamp:
    case Kind::kClockTime:
      return "time";
    case Kind::kByteSize:
      return "size";
    case Kind::kNameList:
      return type.element == nullptr ? "all, or list of names" : "all, names or section";
    case Kind::kNamePairs:
      return "name, list of names, or pairs of names";
    case Kind::kOpenValue:
      return "value";
    case Kind::kEnum:
      return fmt::format("one of {}", fmt::join(type.names, ", "));
    case Kind::kOptional:
      return TypePhrase(type.element());
    case Kind::kList:
      return "list of " + Plural(type.element());
    case Kind::kMap:
      return "named " + Plural(type.element());
    case Kind::kStruct:
      return "section";
    case Kind::kVariant:
      return "type " + NameSome(TagsOf(type));
    case Kind::kKeyed:
      return NameSome(TagsOf(type));
  }
  return "";
}

std::string PlaceOfKey(const std::string& key, const Type& type, const Type* variant) {
  if (variant != nullptr) {
    for (const TypeGetter alternative : variant->alternatives) {
      if (HasKey(alternative(), key)) {
        return fmt::format("it is a key of type: {}", alternative().tag);
      }
    }
  }
  const FieldList list = FieldsOf(type);
  for (const Member& field : list.fields) {
    if (field.type().kind == Kind::kStruct && HasKey(field.type(), key)) {
      return fmt::format("it belongs in '{}'", field.key);
    }
  }
  return "";
}

std::string FirstSentence(std::string_view text) {
  const size_t end = text.find(". ");
  return std::string(end == text.npos ? text : text.substr(0, end + 1));
}

std::string DefaultPhrase(const Member& field) {
  const Type& type = field.type();
  if (field.limits.required) return "required";
  if (field.limits.secret) return "none";
  switch (type.kind) {
    case Kind::kStruct:
      return HasRequiredKeys(type) ? "required" : "";
    case Kind::kVariant:
    case Kind::kKeyed:
      return std::string(type.alternatives[type.index(field.value)]().tag);
    case Kind::kOptional:
      if (type.size(field.value) == 0) return "none";
      break;
    case Kind::kString:
      if (As<std::string>(field.value).empty()) return "empty";
      break;
    default:
      break;
  }
  std::string text = PrintValue(type, field.value, /*redact=*/true);
  text.pop_back();
  return text.find('\n') == std::string::npos ? text : "several keys";
}

std::string LimitsPhrase(const Member& field) {
  const Limits& limits = field.limits;
  const Type& core = CoreOf(field.type());
  const bool is_text = core.kind == Kind::kString;
  std::optional<std::string> min, max;
  if (limits.min) min = WriteBound(core, *limits.min);
  if (limits.max) max = WriteBound(core, *limits.max);
  if (is_text && limits.min == 1.0 && !max) return "not empty";
  const std::string range = Range(min, max);
  const std::string items = ItemsRange(limits);
  return items.empty() || range.empty() ? range + items : fmt::format("{}; {}", items, range);
}

std::string PercentHint(const Type& type, const Limits& limits, double value) {
  const bool is_share = (type.kind == Kind::kDouble || type.kind == Kind::kFloat) &&
                        limits.max == 1.0 && value > 1 && value <= 100;
  return is_share ? fmt::format("write {} for {} %", value / 100, value) : "";
}

}  // namespace tidemill::config::internal
