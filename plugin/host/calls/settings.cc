#include "plugin/host/calls/settings.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fmt/ranges.h"

namespace tidemill::plugin::host {
namespace {

using nlohmann::json;

constexpr const char* kTypeNames[] = {"",     "number",  "integer", "boolean",
                                      "text", "numbers", "texts"};

bool IsKnown(TidemillSettingType type) { return type >= TIDEMILL_NUMBER && type <= TIDEMILL_TEXTS; }

bool HasBounds(const TidemillSetting& setting) {
  return setting.type == TIDEMILL_NUMBER || setting.type == TIDEMILL_INTEGER ||
         setting.type == TIDEMILL_NUMBERS;
}

std::vector<std::string> ChoicesOf(const TidemillSetting& setting) {
  std::vector<std::string> choices;
  for (const char* const* choice = setting.choices; choice != nullptr && *choice != nullptr;
       ++choice) {
    choices.emplace_back(*choice);
  }
  return choices;
}

absl::Status CheckNumber(const TidemillSetting& setting, const json& value) {
  if (!value.is_number()) return InvalidArgument("{} is not a number", value.dump());
  const auto number = value.get<double>();
  if (!std::isfinite(number)) return InvalidArgument("{} is not finite", number);
  if (number < setting.min) return InvalidArgument("{} is below {}", number, setting.min);
  if (number > setting.max) return InvalidArgument("{} is above {}", number, setting.max);
  return absl::OkStatus();
}

absl::Status CheckText(const TidemillSetting& setting, const json& value) {
  if (!value.is_string()) return InvalidArgument("{} is not a text", value.dump());
  const std::vector<std::string> choices = ChoicesOf(setting);
  if (choices.empty() || std::ranges::count(choices, value.get<std::string>()) > 0) {
    return absl::OkStatus();
  }
  return InvalidArgument("{} is none of {}", value.dump(), fmt::join(choices, ", "));
}

absl::Status CheckOne(const TidemillSetting& setting, const json& value) {
  switch (setting.type) {
    case TIDEMILL_BOOLEAN:
      if (value.is_boolean()) return absl::OkStatus();
      return InvalidArgument("{} is neither true nor false", value.dump());
    case TIDEMILL_INTEGER:
      if (!value.is_number_integer()) {
        return InvalidArgument("{} is not a whole number", value.dump());
      }
      return CheckNumber(setting, value);
    case TIDEMILL_TEXT:
    case TIDEMILL_TEXTS:
      return CheckText(setting, value);
    default:
      return CheckNumber(setting, value);
  }
}

absl::Status CheckValue(const TidemillSetting& setting, const json& value) {
  const std::string about = fmt::format("the setting {}", setting.name);
  if (setting.type != TIDEMILL_NUMBERS && setting.type != TIDEMILL_TEXTS) {
    return Annotate(CheckOne(setting, value), about);
  }
  if (!value.is_array()) return InvalidArgument("{}: {} is not a list", about, value.dump());
  for (const json& one : value) RETURN_IF_ERROR(Annotate(CheckOne(setting, one), about));
  return absl::OkStatus();
}

json DefaultOf(const TidemillSetting& setting) {
  if (setting.default_json == nullptr) return nullptr;
  return json::parse(setting.default_json, nullptr, /*allow_exceptions=*/false);
}

}  // namespace

absl::StatusOr<json> DescribeSettings(const std::vector<TidemillSetting>& settings) {
  json described = json::array();
  std::set<std::string> names;
  for (const TidemillSetting& setting : settings) {
    if (setting.name == nullptr || *setting.name == '\0' || !IsKnown(setting.type)) {
      return InvalidArgument("a setting has no name, or an unknown type");
    }
    if (!names.insert(setting.name).second) {
      return InvalidArgument("the setting {} is declared twice", setting.name);
    }
    json one = {{"name", setting.name}, {"type", kTypeNames[setting.type]}};
    one["doc"] = setting.doc != nullptr ? setting.doc : "";
    if (setting.default_json != nullptr) {
      one["default"] = DefaultOf(setting);
      if (one["default"].is_discarded()) {
        return InvalidArgument("the default of the setting {} is not JSON", setting.name);
      }
      RETURN_IF_ERROR(Annotate(CheckValue(setting, one["default"]), "a default"));
    }
    if (HasBounds(setting) && std::isfinite(setting.min)) one["min"] = setting.min;
    if (HasBounds(setting) && std::isfinite(setting.max)) one["max"] = setting.max;
    if (setting.choices != nullptr) one["choices"] = ChoicesOf(setting);
    described.push_back(std::move(one));
  }
  return described;
}

absl::StatusOr<Values> Values::Read(const std::vector<TidemillSetting>& settings,
                                    const json& given) {
  if (!given.is_object()) return InvalidArgument("the request has no settings");
  for (const auto& [name, value] : given.items()) {
    const auto is_it = [&name = name](const TidemillSetting& setting) {
      return name == setting.name;
    };
    if (std::ranges::none_of(settings, is_it)) return InvalidArgument("it has no setting {}", name);
  }
  Values values;
  for (const TidemillSetting& setting : settings) {
    const auto found = given.find(setting.name);
    if (found == given.end() && setting.default_json == nullptr) {
      return InvalidArgument("the setting {} is required", setting.name);
    }
    const json value = found != given.end() ? *found : DefaultOf(setting);
    RETURN_IF_ERROR(CheckValue(setting, value));
    values.Add(setting, value);
  }
  return values;
}

void Values::Add(const TidemillSetting& setting, const json& value) {
  TidemillValue added = {};
  added.size = sizeof added;
  added.name = setting.name;
  if (setting.type == TIDEMILL_NUMBER) added.number = value.get<double>();
  if (setting.type == TIDEMILL_INTEGER) added.integer = value.get<int64_t>();
  if (setting.type == TIDEMILL_BOOLEAN) added.integer = value.get<bool>() ? 1 : 0;
  if (setting.type == TIDEMILL_TEXT) added.text = Keep(value);
  if (setting.type == TIDEMILL_NUMBERS) {
    added.numbers = numbers_.emplace_back(value.get<std::vector<double>>()).data();
    added.count = value.size();
  }
  if (setting.type == TIDEMILL_TEXTS) {
    std::vector<const char*>& list = lists_.emplace_back();
    for (const json& text : value) list.push_back(Keep(text));
    added.texts = list.data();
    added.count = list.size();
  }
  all_.push_back(added);
}

const char* Values::Keep(const json& text) {
  return texts_.emplace_back(text.get<std::string>()).c_str();
}

}  // namespace tidemill::plugin::host
