#include "config/print.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "config/column_list.h"
#include "config/scalars.h"

namespace tidemill::config::internal {
namespace {

// Printed YAML: one line that can follow a key, or a block below it.
struct Text {
  bool block = false;
  std::vector<std::string> lines;
};

Text Line(std::string line) { return {.block = false, .lines = {std::move(line)}}; }

class Printer {
 public:
  explicit Printer(bool redact) : redact_(redact) {}

  // `defaults` is what a reader starts from: a value of the same type, or null for a fresh one.
  Text Print(const Type& type, void* value, void* defaults) const {
    switch (type.kind) {
      case Kind::kOptional:
        if (type.size(value) == 0) return Line("null");
        return Print(type.element(), type.at(value, 0), nullptr);
      case Kind::kNameList:
        return type.element == nullptr ? PrintNames(As<NameList>(value))
                                       : PrintColumns(type, As<ColumnList>(value));
      case Kind::kNamePairs:
        return PrintPairs(As<NamePairs>(value));
      case Kind::kOpenValue:
        return PrintOpen(As<OpenValue>(value));
      case Kind::kList:
        return PrintList(type, value);
      case Kind::kMap:
        return PrintMap(type, value);
      case Kind::kStruct:
        return PrintFields(type, value, defaults, {});
      case Kind::kVariant: {
        const Type& held = type.alternatives[type.index(value)]();
        return PrintFields(held, type.held(value), nullptr,
                           fmt::format("type: {}", WriteText(held.tag)));
      }
      case Kind::kKeyed: {
        const Type& held = type.alternatives[type.index(value)]();
        Text text{.block = true, .lines = {}};
        AddEntry(text, WriteText(held.tag), PrintFields(held, type.held(value), nullptr, {}));
        return text;
      }
      default:
        return Line(WriteScalar(type, value));
    }
  }

 private:
  static void AddEntry(Text& text, const std::string& key, Text value) {
    if (!value.block) {
      text.lines.push_back(fmt::format("{}: {}", key, value.lines[0]));
      return;
    }
    text.lines.push_back(key + ":");
    for (const std::string& line : value.lines) text.lines.push_back("  " + line);
  }

  static Text Flow(const std::vector<Text>& items) {
    std::vector<std::string> texts;
    for (const Text& item : items) texts.push_back(item.lines[0]);
    return Line(fmt::format("[{}]", fmt::join(texts, ", ")));
  }

  static Text ListOf(const std::vector<Text>& items) {
    constexpr size_t kFlowWidth = 90;
    const bool nested = std::ranges::any_of(items, [](const Text& item) { return item.block; });
    if (!nested) {
      Text flow = Flow(items);
      if (flow.lines[0].size() <= kFlowWidth) return flow;
    }
    Text text{.block = true, .lines = {}};
    for (const Text& item : items) {
      const char* lead = "- ";
      for (const std::string& line : item.lines)
        text.lines.push_back(std::exchange(lead, "  ") + line);
    }
    return text;
  }

  static Text PrintNames(const NameList& value) {
    if (value.all) return Line("all");
    std::vector<Text> items;
    for (const std::string& name : value.names) items.push_back(Line(WriteText(name)));
    return ListOf(items);
  }

  Text PrintColumns(const Type& type, ColumnList& value) const {
    if (value.IsAll()) return Line("all");
    std::vector<Text> items;
    for (ColumnItem& item : value.items) {
      auto* const rule = std::get_if<ColumnRule>(&item);
      items.push_back(rule == nullptr ? Line(WriteText(std::get<std::string>(item)))
                                      : PrintFields(type.element(), rule, nullptr, {}));
    }
    return items.size() == 1 && items[0].block ? items[0] : ListOf(items);
  }

  static Text PrintPairs(const NamePairs& value) {
    const bool alone = std::ranges::all_of(
        value.pairs, [](const NamePairs::Pair& pair) { return pair.name == pair.elsewhere; });
    std::vector<Text> items;
    Text map{.block = true, .lines = {}};
    for (const NamePairs::Pair& pair : value.pairs) {
      items.push_back(Line(WriteText(pair.name)));
      AddEntry(map, WriteText(pair.name), Line(WriteText(pair.elsewhere)));
    }
    return alone ? ListOf(items) : map;
  }

  static Text PrintOpen(const OpenValue& value) {
    std::vector<Text> items;
    for (const OpenValue::Scalar& scalar : value.scalars) items.push_back(Line(WriteOpen(scalar)));
    return value.is_list || items.empty() ? ListOf(items) : items[0];
  }

  Text PrintList(const Type& type, void* value) const {
    std::vector<Text> items;
    for (size_t i = 0; i < type.size(value); ++i) {
      items.push_back(Print(type.element(), type.at(value, i), nullptr));
    }
    return ListOf(items);
  }

  Text PrintMap(const Type& type, void* value) const {
    if (type.size(value) == 0) return Line("{}");
    Text text{.block = true, .lines = {}};
    type.entries(value, [&](const std::string& key, void* entry) {
      AddEntry(text, WriteText(key), Print(type.element(), entry, nullptr));
    });
    return text;
  }

  Text PrintFields(const Type& type, void* value, void* defaults, std::string_view first) const {
    if (const std::optional<Member> sole = SoleValueOf(type, value)) {
      return Print(sole->type(), sole->value, nullptr);
    }
    const std::shared_ptr<void> fresh = defaults == nullptr ? MakeDefault(type) : nullptr;
    std::vector<void*> default_values;
    type.members(defaults == nullptr ? fresh.get() : defaults,
                 [&](const Member& member) { default_values.push_back(member.value); });
    Text text{.block = true, .lines = {}};
    if (!first.empty()) text.lines.emplace_back(first);
    size_t i = 0;
    type.members(value, [&](const Member& member) {
      void* const default_value = default_values[i++];
      const Type& member_type = member.type();
      const bool absent = member_type.kind == Kind::kOptional &&
                          member_type.size(member.value) == 0 &&
                          member_type.size(default_value) == 0;
      if (absent) return;
      AddEntry(text, WriteText(member.key),
               redact_ && member.limits.secret ? Line("\"<secret>\"")
                                               : Print(member_type, member.value, default_value));
    });
    return text.lines.empty() ? Line("{}") : text;
  }

  bool redact_;
};

}  // namespace

std::string PrintValue(const Type& type, const void* value, bool redact) {
  // Fields() is not const, so descriptions take mutable values; printing changes none.
  const Text text = Printer(redact).Print(type, const_cast<void*>(value), nullptr);
  return fmt::format("{}\n", fmt::join(text.lines, "\n"));
}

}  // namespace tidemill::config::internal
