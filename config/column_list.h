// The columns that a part of a document takes: all of them, by name, or by rules over their names.
//
//   columns: all
//   columns: [hour, weekday]
//   columns: {match: "sensor_*", except: [sensor_3]}
//   columns: [hour, {from: sensor_1, to: sensor_9}]
//
// transform/engine/column_rule.h resolves a rule to columns.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/config.h"

namespace tidemill::config {

// Columns that are chosen by their names, in the order of the columns.
struct ColumnRule {
  static constexpr std::string_view kDoc =
      "Chooses columns by their names. It stands alone (`columns: {match: \"sensor_*\", except: "
      "[sensor_3]}`) or in a list (`columns: [hour, {from: sensor_1, to: sensor_9}]`). Columns are "
      "taken in their own order: that of the records, or that in which ops made them. With "
      "`except` alone it means all but these. It takes only columns that `all` would take, and "
      "none that an earlier entry of the list has taken. Its choice is fixed when the pipeline is "
      "submitted; `tidemill check` shows it.";
  std::optional<std::string> match = std::nullopt;
  std::optional<std::string> from = std::nullopt;
  std::optional<std::string> to = std::nullopt;
  std::vector<std::string> except = {};

  void Fields(auto&& field) {
    field("match", match, "Names to take: `*` is any text, `?` is one character.",
          Limits{.min = 1, .example = "\"sensor_*\""});
    field("from", from, "The first column to take. By default the first of all.",
          Limits{.min = 1, .example = "sensor_1"});
    field("to", to, "The last column to take. By default the last of all.",
          Limits{.min = 1, .example = "sensor_9"});
    field("except", except, "Names of columns to leave out.",
          Limits{.min = 1, .example = "[sensor_3]"});
  }
  void Check(Problems& problems) const {
    if (!match && !from && !to && except.empty()) {
      problems.Add("", "chooses nothing", "give match, from, to or except, or write all");
    }
    if (match && (from || to)) {
      problems.Add("match", "cannot be combined with from and to", "write two rules, in a list");
    }
  }

  friend bool operator==(const ColumnRule&, const ColumnRule&) = default;
};

// A name, or a rule.
using ColumnItem = std::variant<std::string, ColumnRule>;

struct ColumnList {
  std::vector<ColumnItem> items = {};

  ColumnList() = default;
  // Makes a list of names, for most callers.
  ColumnList(std::vector<std::string> names) {  // NOLINT(google-explicit-constructor)
    for (std::string& name : names) items.emplace_back(std::move(name));
  }
  ColumnList(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) items.emplace_back(std::string(name));
  }
  static ColumnList All() {
    ColumnList all;
    all.items.emplace_back(ColumnRule{.match = "*"});
    return all;
  }

  // Whether it is `all`, which is the same as the rule {match: "*"}.
  bool IsAll() const { return *this == All(); }
  bool HasRules() const { return Names().size() < items.size(); }
  // Returns the listed names, without the columns that rules choose.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const ColumnItem& item : items) {
      if (const auto* name = std::get_if<std::string>(&item)) names.push_back(*name);
    }
    return names;
  }
  // The path of an item below the list, for problems: "[2]", or "" for a rule that stands alone.
  std::string PathOf(size_t item) const {
    return items.size() == 1 && HasRules() ? "" : "[" + std::to_string(item) + "]";
  }

  friend bool operator==(const ColumnList&, const ColumnList&) = default;
};

}  // namespace tidemill::config

// A list of columns is read, printed and documented as a list of names whose elements may be rules.
template <>
inline constexpr tidemill::config::internal::Kind
    tidemill::config::internal::kScalar<tidemill::config::ColumnList> =
        tidemill::config::internal::Kind::kNameList;
template <>
inline void tidemill::config::internal::Describe<tidemill::config::ColumnList>(Type& type) {
  type.doc = ColumnRule::kDoc;
  type.element = &TypeOf<ColumnRule>;
}
