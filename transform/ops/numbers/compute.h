// compute: makes columns from expressions.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::config {
class Problems;
}

namespace tidemill::transform {

struct ComputeSpec {
  static constexpr std::string_view kType = "compute";
  static constexpr std::string_view kDoc =
      "Makes columns from expressions over earlier columns (docs/guides/columns.md). Numbers and "
      "booleans become float32, whole numbers int64, texts stay texts. A null number is a "
      "missing number (NaN), which fill_missing can replace. Any other null makes a bad sample. "
      "Columns of several numbers are computed number by number. The op's expressions do not see "
      "each other's columns.";
  static constexpr bool kIsRandom = false;
  std::map<std::string, std::string> columns = {};

  void Fields(auto&& field) {
    field("", columns, "The expression of each column to make.",
          config::Limits{.required = true,
                         .example = "{log_price: log1p(price), weekend: weekday(@time) >= 6}",
                         .min_items = 1});
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const ComputeSpec&, const ComputeSpec&) = default;
};

}  // namespace tidemill::transform
