// Settings of a plug-in: declared once, as members of its class, and read like values of their
// type.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemill/plugin.h"

namespace tidemill::plugin {

class Instance;

// In place of a default: pipelines have to give the setting.
struct Required {
  explicit constexpr Required(int) {}
};
inline constexpr Required kRequired{0};

struct Limits {
  // Bounds of numbers, both inclusive.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  // Texts that are allowed; empty for all.
  std::vector<std::string> choices = {};
};

// Values as JSON, for the description of a setting.
namespace as_json {

inline std::string Of(bool value) { return value ? "true" : "false"; }

template <typename Value>
requires(std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) std::string Of(Value value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

inline std::string Of(const std::string& value) {
  std::string text = "\"";
  for (const char letter : value) {
    if (static_cast<unsigned char>(letter) < 0x20) {
      constexpr char kDigits[] = "0123456789abcdef";
      text += std::string("\\u00") + kDigits[letter / 16] + kDigits[letter % 16];
      continue;
    }
    if (letter == '"' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + '"';
}

template <typename Value>
std::string Of(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) text += (text.empty() ? "" : ", ") + Of(value);
  return "[" + text + "]";
}

}  // namespace as_json

// A setting, whatever its type. It stays where it is: its plug-in knows it by its address.
class AnySetting {
 public:
  AnySetting(const AnySetting&) = delete;
  AnySetting& operator=(const AnySetting&) = delete;
  virtual ~AnySetting() = default;

  const std::string& name() const { return name_; }
  // As the contract has it; valid as long as the setting is.
  TidemillSetting Declared();
  // The value that an instance gets.
  virtual void Take(const TidemillValue& value) = 0;

 protected:
  AnySetting(Instance& owner, std::string name, std::string doc, TidemillSettingType type,
             Limits limits);

  // Empty for a setting that is required.
  std::string default_json_;

 private:
  const std::string name_;
  const std::string doc_;
  const TidemillSettingType type_;
  const Limits limits_;
  std::vector<const char*> choices_;
};

namespace setting_type {

template <typename Value>
inline constexpr TidemillSettingType kOf = TIDEMILL_NUMBER;
template <>
inline constexpr TidemillSettingType kOf<int64_t> = TIDEMILL_INTEGER;
template <>
inline constexpr TidemillSettingType kOf<bool> = TIDEMILL_BOOLEAN;
template <>
inline constexpr TidemillSettingType kOf<std::string> = TIDEMILL_TEXT;
template <>
inline constexpr TidemillSettingType kOf<std::vector<double>> = TIDEMILL_NUMBERS;
template <>
inline constexpr TidemillSettingType kOf<std::vector<std::string>> = TIDEMILL_TEXTS;

}  // namespace setting_type

// A setting of one type. Where C++ does not see the value in it, as in comparisons of texts,
// `*setting` is the value.
template <typename Value>
class Setting final : public AnySetting {
 public:
  Setting(Instance& owner, std::string name, std::string doc, Value standard, Limits limits = {})
      : AnySetting(owner, std::move(name), std::move(doc), setting_type::kOf<Value>,
                   std::move(limits)),
        value_(std::move(standard)) {
    default_json_ = as_json::Of(value_);
  }
  Setting(Instance& owner, std::string name, std::string doc, Required, Limits limits = {})
      : AnySetting(owner, std::move(name), std::move(doc), setting_type::kOf<Value>,
                   std::move(limits)) {}

  // It is read as its value.
  operator const Value&() const { return value_; }  // NOLINT(google-explicit-constructor)
  const Value& operator*() const { return value_; }
  const Value* operator->() const { return &value_; }
  // For tests of a plug-in; its bounds are not looked at.
  void Set(Value value) { value_ = std::move(value); }

  void Take(const TidemillValue& value) override {
    if constexpr (std::is_same_v<Value, double>) value_ = value.number;
    if constexpr (std::is_same_v<Value, int64_t>) value_ = value.integer;
    if constexpr (std::is_same_v<Value, bool>) value_ = value.integer != 0;
    if constexpr (std::is_same_v<Value, std::string>) value_ = value.text;
    if constexpr (std::is_same_v<Value, std::vector<double>>)
      value_.assign(value.numbers, value.numbers + value.count);
    if constexpr (std::is_same_v<Value, std::vector<std::string>>)
      value_.assign(value.texts, value.texts + value.count);
  }

 private:
  Value value_{};
};

using Number = Setting<double>;
using Integer = Setting<int64_t>;
using Boolean = Setting<bool>;
using Text = Setting<std::string>;
using Numbers = Setting<std::vector<double>>;
using Texts = Setting<std::vector<std::string>>;

inline TidemillSetting AnySetting::Declared() {
  choices_.clear();
  for (const std::string& choice : limits_.choices) choices_.push_back(choice.c_str());
  choices_.push_back(nullptr);
  return {.size = sizeof(TidemillSetting),
          .name = name_.c_str(),
          .doc = doc_.c_str(),
          .type = type_,
          .default_json = default_json_.empty() ? nullptr : default_json_.c_str(),
          .min = limits_.min,
          .max = limits_.max,
          .choices = limits_.choices.empty() ? nullptr : choices_.data()};
}

}  // namespace tidemill::plugin
