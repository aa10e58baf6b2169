#include "plugin/spec/declared_settings.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "config/values/open_value.h"
#include "plugin/spec/json_fields.h"

namespace tidemill::plugin {
namespace {

using nlohmann::json;

struct TypeName {
  std::string_view name;
  std::string_view phrase;
};

// In the order of SettingType.
constexpr TypeName kTypes[] = {{"number", "number"},           {"integer", "whole number"},
                               {"boolean", "true or false"},   {"text", "text"},
                               {"numbers", "list of numbers"}, {"texts", "list of texts"}};

absl::StatusOr<DeclaredSetting> ReadOne(const json& said) {
  if (!said.is_object() || TextAt(said, "name").empty()) {
    return InvalidArgument("a setting has no name");
  }
  DeclaredSetting setting{.name = TextAt(said, "name"), .doc = TextAt(said, "doc")};
  const std::string type = TextAt(said, "type");
  const auto* const known = std::ranges::find(kTypes, type, &TypeName::name);
  if (known == std::end(kTypes)) {
    return InvalidArgument("the setting {} is of an unknown type, '{}'", setting.name, type);
  }
  setting.type = static_cast<SettingType>(known - std::begin(kTypes));
  if (said.contains("default") && !said["default"].is_null()) {
    setting.default_value = said["default"];
  }
  setting.min = NumberAt(said, "min");
  setting.max = NumberAt(said, "max");
  if (said.contains("choices") && said["choices"].is_array()) {
    for (const json& choice : said["choices"]) {
      if (choice.is_string()) setting.choices.push_back(choice.get<std::string>());
    }
  }
  return setting;
}

// Reads one setting's value from the pipeline.
class ValueReader {
 public:
  ValueReader(const DeclaredSetting& setting, config::Problems& problems)
      : setting_(setting), at_("with." + setting.name), problems_(problems) {}

  json Read(const config::OpenValue& value) {
    const bool wants_list =
        setting_.type == SettingType::kNumbers || setting_.type == SettingType::kTexts;
    if (value.is_list != wants_list) {
      const bool one = wants_list && value.scalars.size() == 1;
      Note(at_, fmt::format("expected a {}", PhraseOf(setting_.type)),
           one ? fmt::format("write [{}]", value.scalars[0].text) : "");
      return {};
    }
    if (!wants_list) return ReadScalar(at_, value.scalars[0]);
    json list = json::array();
    for (size_t i = 0; i < value.scalars.size(); ++i) {
      list.push_back(ReadScalar(fmt::format("{}[{}]", at_, i), value.scalars[i]));
    }
    return list;
  }

 private:
  void Note(const std::string& at, const std::string& message, const std::string& hint = "") {
    problems_.Add(at, message, hint.empty() ? setting_.doc : hint);
  }

  json ReadScalar(const std::string& at, const config::OpenValue::Scalar& scalar) {
    switch (setting_.type) {
      case SettingType::kBoolean:
        return ReadAs<bool>(at, scalar);
      case SettingType::kInteger:
        return InBounds(at, scalar, ReadAs<int64_t>(at, scalar));
      case SettingType::kNumber:
      case SettingType::kNumbers:
        return InBounds(at, scalar, ReadAs<double>(at, scalar));
      case SettingType::kText:
      case SettingType::kTexts:
        return AmongChoices(at, ReadAs<std::string>(at, scalar));
    }
    return {};
  }

  template <typename T>
  json ReadAs(const std::string& at, const config::OpenValue::Scalar& scalar) {
    T value{};
    const auto mismatch = config::ReadOpen(scalar, value);
    if (!mismatch) return value;
    Note(at, mismatch->message, mismatch->hint);
    return {};
  }

  json InBounds(const std::string& at, const config::OpenValue::Scalar& scalar, json value) {
    if (!value.is_number()) return value;
    const auto number = value.get<double>();
    if (setting_.min && !(number >= *setting_.min)) {
      Note(at, fmt::format("{} is below {}", scalar.text, *setting_.min));
    } else if (setting_.max && !(number <= *setting_.max)) {
      Note(at, fmt::format("{} is above {}", scalar.text, *setting_.max));
    }
    return value;
  }

  json AmongChoices(const std::string& at, json value) {
    if (!value.is_string() || setting_.choices.empty()) return value;
    const auto text = value.get<std::string>();
    if (std::ranges::find(setting_.choices, text) != setting_.choices.end()) return value;
    const std::string near = config::DidYouMean(text, setting_.choices);
    Note(at, fmt::format("unknown value '{}'", text),
         near.empty() ? fmt::format("allowed: {}", fmt::join(setting_.choices, ", ")) : near);
    return value;
  }

  const DeclaredSetting& setting_;
  const std::string at_;
  config::Problems& problems_;
};

}  // namespace

std::string_view PhraseOf(SettingType type) { return kTypes[static_cast<size_t>(type)].phrase; }

absl::StatusOr<std::vector<DeclaredSetting>> ReadDeclared(const json& settings) {
  std::vector<DeclaredSetting> declared;
  if (settings.is_null()) return declared;
  if (!settings.is_array()) return InvalidArgument("its settings are not a list");
  for (const json& said : settings) {
    ASSIGN_OR_RETURN(declared.emplace_back(), ReadOne(said));
  }
  return declared;
}

json SettingsOf(const std::vector<DeclaredSetting>& declared,
                const std::map<std::string, config::OpenValue>& with, config::Problems& problems) {
  json settings = json::object();
  std::vector<std::string> names;
  for (const DeclaredSetting& setting : declared) {
    names.push_back(setting.name);
    const auto given = with.find(setting.name);
    if (given != with.end()) {
      settings[setting.name] = ValueReader(setting, problems).Read(given->second);
    } else if (setting.default_value) {
      settings[setting.name] = *setting.default_value;
    } else {
      problems.Add("with", fmt::format("the setting '{}' is missing", setting.name),
                   fmt::format("add {}: a {}{}{}", setting.name, PhraseOf(setting.type),
                               setting.doc.empty() ? "" : ". ", setting.doc));
    }
  }
  for (const auto& [name, value] : with) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string near = config::DidYouMean(name, names);
    const std::string known = names.empty()
                                  ? "the plug-in has no settings"
                                  : fmt::format("its settings: {}", fmt::join(names, ", "));
    problems.Add("with." + name, fmt::format("the plug-in has no setting '{}'", name),
                 near.empty() ? known : near);
  }
  return settings;
}

}  // namespace tidemill::plugin
