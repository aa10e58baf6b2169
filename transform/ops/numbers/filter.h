// filter: leaves out samples.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::config {
class Problems;
}

namespace tidemill::transform {

struct FilterSpec {
  static constexpr std::string_view kType = "filter";
  static constexpr std::string_view kDoc =
      "Leaves out samples, in training and in evaluation. Its place in the training set stays "
      "empty, as that of a bad sample does, but it is counted as filtered, and no limit of bad "
      "samples counts it. Later ops do not work on it. To leave samples out before "
      "they are read, say `where` in the selection or in the dataset.";
  static constexpr bool kIsRandom = false;
  std::string condition = {};

  void Fields(auto&& field) {
    field("", condition,
          "An expression (docs/guides/columns.md). A sample for which it is not true is left out, "
          "also if it is null.",
          config::Limits{.required = true, .example = "price > 0"});
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const FilterSpec&, const FilterSpec&) = default;
};

}  // namespace tidemill::transform
