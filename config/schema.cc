#include "config/schema.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "config/column_list.h"
#include "config/phrases.h"
#include "config/scalars.h"

namespace tidemill::config::internal {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kCountPattern[] = "^[-+]?[0-9][0-9_]*(\\.[0-9]+)?([eE][-+]?[0-9]+)?[kKMG]?$";
constexpr char kDurationPattern[] = "^-?[0-9]+(\\.[0-9]+)?(us|ms|s|m|h|d|w)$";
constexpr char kTimePattern[] = "^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]+([Zz]|[-+][0-9:]+)?)?$";
constexpr char kSizePattern[] = "^-?[0-9][0-9_]*(\\.[0-9]+)?([kKMGT]?B|[KMGT]iB)$";
constexpr char kDevicePattern[] = "^(auto|cpu|cuda(:(0|[1-9][0-9]{0,2}))?)$";

// The default of columns that no rule chooses.
Json DefaultOf(const ColumnList& columns) {
  return columns.IsAll() ? Json("all") : Json(columns.Names());
}

// The JSON of a default; null when it has none that a reader of the schema needs.
Json DefaultOf(const Type& type, void* value) {
  switch (type.kind) {
    case Kind::kBool:
      return As<bool>(value);
    case Kind::kInt32:
      return As<int>(value);
    case Kind::kInt64:
      return As<int64_t>(value);
    case Kind::kCount:
      return As<Count>(value).value;
    case Kind::kFloat:  // By way of its shortest text: 0.1f is 0.1.
      return std::isfinite(As<float>(value)) ? Json::parse(WriteScalar(type, value)) : Json();
    case Kind::kDouble:
      return std::isfinite(As<double>(value)) ? Json(As<double>(value)) : Json();
    case Kind::kString:
      return As<std::string>(value);
    case Kind::kDuration:
    case Kind::kTimestamp:
    case Kind::kClockTime:
    case Kind::kByteSize:
    case Kind::kDevice:
    case Kind::kEnum:
      return WriteScalar(type, value);
    case Kind::kOptional:
      return type.size(value) == 0 ? Json() : DefaultOf(type.element(), type.at(value, 0));
    case Kind::kList: {
      Json list = Json::array();
      for (size_t i = 0; i < type.size(value); ++i) {
        list.push_back(DefaultOf(type.element(), type.at(value, i)));
      }
      const bool complete =
          std::ranges::none_of(list, [](const Json& item) { return item.is_null(); });
      return complete ? list : Json();
    }
    case Kind::kNamePairs: {
      Json names = Json::array();
      for (const NamePairs::Pair& pair : As<NamePairs>(value).pairs) names.push_back(pair.name);
      return names;
    }
    case Kind::kNameList:
      if (type.element != nullptr) return DefaultOf(As<ColumnList>(value));
      return As<NameList>(value).all ? Json("all") : Json(As<NameList>(value).names);
    default:
      return Json();
  }
}

// Writes a schema twice: first it counts the uses of each type, then it writes those that are used
// more than once as definitions, to which their uses refer. A recursive type is one of these.
class SchemaWriter {
 public:
  Json Root(const Type& type) {
    Of(type, {});
    counting_ = false;
    Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"}};
    schema.update(Of(type, {}));
    if (type.kind == Kind::kStruct) schema["patternProperties"]["^x-"] = Json::object();
    if (!definitions_.empty()) schema["definitions"] = definitions_;
    return schema;
  }

 private:
  Json Of(const Type& type, const Limits& limits) {
    switch (type.kind) {
      case Kind::kOptional: {
        Json element = Of(type.element(), limits);
        return {{"anyOf", {std::move(element), {{"type", "null"}}}}};
      }
      case Kind::kList: {
        Json schema = {{"type", "array"}, {"items", Of(type.element(), limits)}};
        if (limits.min_items) schema["minItems"] = static_cast<int64_t>(*limits.min_items);
        if (limits.max_items) schema["maxItems"] = static_cast<int64_t>(*limits.max_items);
        return schema;
      }
      case Kind::kMap: {
        Json schema = {{"type", "object"}, {"additionalProperties", Of(type.element(), limits)}};
        if (limits.min_items) schema["minProperties"] = static_cast<int64_t>(*limits.min_items);
        if (limits.max_items) schema["maxProperties"] = static_cast<int64_t>(*limits.max_items);
        return schema;
      }
      case Kind::kStruct:
      case Kind::kVariant:
      case Kind::kKeyed:
        return OfComposite(type);
      case Kind::kNameList:
        return type.element == nullptr ? OfScalar(type, limits) : OfColumns(type, limits);
      default:
        return OfScalar(type, limits);
    }
  }

  Json OfColumns(const Type& type, const Limits& limits) {
    Json rule = Shared({&type.element(), "columns"}, "columns", [&] {
      Json schema = OfStruct(type.element(), "", "");
      schema["type"] = "object";
      schema["minProperties"] = 1;
      return schema;
    });
    Json list = {{"type", "array"},
                 {"items", {{"anyOf", {{{"type", {"string", "integer"}}}, rule}}}}};
    if (limits.min_items) list["minItems"] = static_cast<int64_t>(*limits.min_items);
    if (limits.max_items) list["maxItems"] = static_cast<int64_t>(*limits.max_items);
    return {{"anyOf", {{{"const", "all"}}, std::move(list), std::move(rule)}}};
  }

  static Json OfScalar(const Type& type, const Limits& limits) {
    const auto bounded = [&](Json schema, const char* min, const char* max) {
      const bool real = type.kind == Kind::kFloat || type.kind == Kind::kDouble;
      const auto number = [&](double bound) {
        return real ? Json(bound) : Json(static_cast<int64_t>(bound));
      };
      if (limits.min) schema[min] = number(*limits.min);
      if (limits.max) schema[max] = number(*limits.max);
      return schema;
    };
    switch (type.kind) {
      case Kind::kBool:
        return {{"type", "boolean"}};
      case Kind::kInt32:
      case Kind::kInt64:
      case Kind::kCount:
        return bounded({{"type", {"integer", "string"}}, {"pattern", kCountPattern}}, "minimum",
                       "maximum");
      case Kind::kFloat:
      case Kind::kDouble:
        return bounded({{"type", "number"}}, "minimum", "maximum");
      case Kind::kDuration:
        return {{"type", "string"}, {"pattern", kDurationPattern}};
      case Kind::kTimestamp:
      case Kind::kClockTime:
        return {{"type", "string"}, {"pattern", kTimePattern}};
      case Kind::kByteSize:
        return {{"type", "string"}, {"pattern", kSizePattern}};
      case Kind::kDevice:
        return {{"type", "string"}, {"pattern", kDevicePattern}};
      case Kind::kEnum: {
        Json names = type.names;
        if (std::ranges::find(type.names, kNullName) != type.names.end()) names.push_back(nullptr);
        return {{"enum", std::move(names)}};
      }
      case Kind::kNamePairs: {
        const Json name = {{"type", {"string", "integer"}}};
        return {{"anyOf",
                 {name,
                  {{"type", "array"}, {"items", name}},
                  {{"type", "object"}, {"additionalProperties", name}}}}};
      }
      case Kind::kOpenValue:
        return {{"type", {"string", "number", "boolean", "array"}}};
      case Kind::kNameList:
        return {{"anyOf",
                 {{{"const", "all"}},
                  {{"type", "array"}, {"items", {{"type", {"string", "integer"}}}}}}}};
      default:
        return bounded({{"type", {"string", "integer"}}}, "minLength", "maxLength");
    }
  }

  Json OfComposite(const Type& type) {
    return Shared({&type, ""}, key_, [&] {
      return type.kind == Kind::kStruct    ? OfStruct(type, "", "")
             : type.kind == Kind::kVariant ? OfVariant(type)
                                           : OfKeyed(type);
    });
  }

  // A type in one of the forms in which it is written: "", "columns", or the key of its tag.
  using Form = std::pair<const Type*, std::string_view>;

  // Returns what `write` makes for a form, or a reference to it where it is used more than once.
  template <typename Write>
  Json Shared(const Form& form, const std::string& name, const Write& write) {
    if (counting_) return ++uses_[form] == 1 ? write() : Json::object();
    if (uses_[form] == 1) return write();
    const auto [it, first] = names_.try_emplace(form, name);
    if (first) {
      for (int i = 2; !taken_.insert(it->second).second; ++i) {
        it->second = fmt::format("{}{}", name, i);
      }
      Json schema = write();
      definitions_[it->second] = std::move(schema);
    }
    return {{"$ref", "#/definitions/" + it->second}};
  }

  // `tag_key`: the key that must hold `tag` ("type: amount"), or "".
  Json OfStruct(const Type& type, const std::string& tag_key, std::string_view tag) {
    const FieldList list = FieldsOf(type);
    if (SoleValueOf(type, list.keeper.get())) return OfField(list.fields.front());
    Json schema = {{"type", tag_key.empty() ? Json{"object", "null"} : Json("object")}};
    if (!type.doc.empty()) schema["description"] = std::string(type.doc);
    Json properties = Json::object();
    Json required = Json::array();
    if (!tag_key.empty()) {
      properties[tag_key] = {{"const", std::string(tag)}};
      required.push_back(tag_key);
    }
    for (const Member& field : list.fields) {
      const std::string key(field.key);
      properties[key] = OfField(field);
      const bool required_below =
          field.type().kind == Kind::kStruct && HasRequiredKeys(field.type());
      if (field.limits.required || required_below) required.push_back(key);
    }
    schema["properties"] = std::move(properties);
    if (!required.empty()) schema["required"] = std::move(required);
    schema["additionalProperties"] = false;
    return schema;
  }

  Json OfField(const Member& field) {
    Json schema = {{"description", std::string(field.doc)}};
    const std::string above = std::exchange(key_, std::string(field.key));
    Json of_type = Of(field.type(), field.limits);
    key_ = above;
    if (of_type.contains("$ref")) of_type = {{"allOf", {of_type}}};  // $ref hides its siblings.
    of_type.erase("description");
    schema.update(of_type);
    if (!field.limits.required && !field.limits.secret) {
      Json value = DefaultOf(field.type(), field.value);
      if (!value.is_null()) schema["default"] = std::move(value);
    }
    if (!field.limits.example.empty()) {
      const std::string example(field.limits.example);
      Json parsed = Json::parse(example, nullptr, /*allow_exceptions=*/false);
      schema["examples"] = Json::array({parsed.is_discarded() ? Json(example) : std::move(parsed)});
    }
    return schema;
  }

  Json OfVariant(const Type& type) {
    Json choices = Json::array();
    Json bare = Json::array();
    for (const TypeGetter get : type.alternatives) {
      choices.push_back(Shared({&get(), "type"}, fmt::format("{}.{}", key_, get().tag),
                               [&] { return OfStruct(get(), "type", get().tag); }));
      if (!HasRequiredKeys(get())) bare.push_back(std::string(get().tag));
    }
    if (!bare.empty()) choices.push_back({{"enum", std::move(bare)}});
    return {{"oneOf", std::move(choices)}};
  }

  Json OfKeyed(const Type& type) {
    Json choices = Json::array();
    Json bare = Json::array();
    for (const TypeGetter get : type.alternatives) {
      const std::string tag(get().tag);
      Json body = OfStruct(get(), "", "");
      if (!HasRequiredKeys(get())) {
        bare.push_back(tag);
      } else if (body.contains("properties")) {
        body["type"] = "object";
      }
      Json properties = Json::object();
      properties[tag] = std::move(body);
      choices.push_back({{"type", "object"},
                         {"properties", std::move(properties)},
                         {"required", Json::array({tag})},
                         {"additionalProperties", false}});
    }
    if (!bare.empty()) choices.push_back({{"enum", std::move(bare)}});
    return {{"oneOf", std::move(choices)}};
  }

  bool counting_ = true;
  std::string key_;  // The key of the field whose type is being written.
  std::map<Form, int> uses_;
  std::map<Form, std::string> names_;  // Names of definitions.
  std::set<std::string> taken_;        // All names of `names_`.
  Json definitions_ = Json::object();
};

}  // namespace

Json SchemaOf(const Type& type) { return SchemaWriter().Root(type); }

}  // namespace tidemill::config::internal
