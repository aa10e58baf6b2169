// Slices: parts of a window's samples that are measured separately, besides the whole window.
#pragma once

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
  void Check(config::Problems& problems) const {
    for (size_t i = 1; i < bins.size(); ++i) {
      if (!(bins[i - 1] < bins[i])) {
        problems.Add("bins", "must ascend", "write each number once, the smallest first");
        return;
      }
    }
  }
  std::string Name() const { return name; }
  friend bool operator==(const ColumnSlices&, const ColumnSlices&) = default;
};

using SliceSpec = std::variant<ClassSlices, ColumnSlices>;

inline std::string NameOf(const SliceSpec& slice) {
  return std::visit([](const auto& spec) { return spec.Name(); }, slice);
}

}  // namespace tidemill::evaluator
