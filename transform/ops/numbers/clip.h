// clip: limits numbers to a range.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "config/column_list.h"
#include "transform/engine/op_spec.h"

namespace tidemill::config {
class Problems;
}

namespace tidemill::transform {

struct ClipSpec {
  static constexpr std::string_view kType = "clip";
  static constexpr std::string_view kDoc =
      "Replaces numbers below `min` by `min` and numbers above `max` by `max`, in place. Types do "
      "not change. A missing number (NaN) stays missing.";
  static constexpr bool kIsRandom = false;
  config::ColumnList columns = {};
  std::optional<double> min = std::nullopt;
  std::optional<double> max = std::nullopt;

  void Fields(auto&& field) {
    field("columns", columns, "`all` columns of floats, or a list of columns of numbers.",
          config::Limits{.required = true, .example = "[temperature]"});
    field("min", min, "The least number. By default there is no lower bound.");
    field("max", max, "The greatest number. By default there is no upper bound.");
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const ClipSpec&, const ClipSpec&) = default;
};

}  // namespace tidemill::transform
