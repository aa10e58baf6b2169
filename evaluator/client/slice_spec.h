// Slices: parts of a window's samples that are measured separately, besides the whole window.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"

namespace tidemill::evaluator {

// One slice for each true class: `class=UP`.
struct ClassSlices {
  static constexpr std::string_view kType = "class";
  static constexpr std::string_view kDoc = "One slice for each true class.";
  void Fields(auto&&) {}
  std::string Name() const { return "class"; }
  friend bool operator==(const ClassSlices&, const ClassSlices&) = default;
};

inline void CheckBins(const std::vector<double>& bins, config::Problems& problems) {
  for (size_t i = 1; i < bins.size(); ++i) {
    if (bins[i - 1] < bins[i]) continue;
    problems.Add("bins", "must ascend", "write each number once, the smallest first");
    return;
  }
}

// One slice for each value of a column: `station=Dingling`, `hour=[6,12)`.
struct ColumnSlices {
  static constexpr std::string_view kType = "column";
  static constexpr std::string_view kDoc =
      "One slice for each value of a column of a CSV file or of a field of a JSON line. These are "
      "the 50 most frequent values of a window; `other` is the rest.";

  std::string name;
  std::vector<double> bins = {};

  void Fields(auto&& field) {
    field("name", name, "The column.", {.min = 1, .required = true, .example = "station"});
    field("bins", bins,
          "Treats the column as numbers and cuts them here. [0, 10] makes three slices: below 0, "
          "from 0 to below 10, and from 10 on.",
          {.example = "[6, 12, 18]", .max_items = 49});
  }
  void Check(config::Problems& problems) const { CheckBins(bins, problems); }
  std::string Name() const { return name; }
  friend bool operator==(const ColumnSlices&, const ColumnSlices&) = default;
};

// One slice for each value of an expression: `weekend=true`, `age=[18,65)`.
struct ExpressionSlices {
  static constexpr std::string_view kType = "expression";
  static constexpr std::string_view kDoc =
      "One slice for each value of an expression over the records, @time and @label "
      "(docs/guides/columns.md). These are the 50 most frequent values of a window; `other` is the "
      "rest, and what is null.";

  std::string value;
  std::optional<std::string> name = std::nullopt;
  std::vector<double> bins = {};

  void Fields(auto&& field) {
    field("value", value, "The expression.",
          {.required = true, .example = "\"weekday(@time) >= 6\""});
    field("name", name, "What tables call the slices. By default the expression.",
          {.min = 1, .example = "weekend"});
    field("bins", bins, "For numbers: cuts them here, as those of a column.",
          {.example = "[18, 65]", .max_items = 49});
  }
  void Check(config::Problems& problems) const;
  std::string Name() const { return name.value_or(value); }
  friend bool operator==(const ExpressionSlices&, const ExpressionSlices&) = default;
};

using SliceSpec = std::variant<ClassSlices, ColumnSlices, ExpressionSlices>;

inline std::string NameOf(const SliceSpec& slice) {
  return std::visit([](const auto& spec) { return spec.Name(); }, slice);
}

}  // namespace tidemill::evaluator
