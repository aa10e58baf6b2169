// pad: adds numbers around the numbers of a row.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::config {
class Problems;
}

namespace tidemill::transform {

struct PadSpec {
  static constexpr std::string_view kType = "pad";
  static constexpr std::string_view kDoc =
      "Puts numbers before and after the numbers of a row, in each dimension of its shape. The "
      "type does not change. For an image [channels, height, width], `before: [0, 2, 2], after: "
      "[0, 2, 2]` makes a frame of two pixels.";
  static constexpr bool kIsRandom = false;
  std::string column = {};
  std::vector<int64_t> before = {};
  std::vector<int64_t> after = {};
  double value = 0;
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of numbers with a shape.",
          config::Limits{.required = true, .example = "image"});
    field("before", before, "How many numbers to put before, for each dimension. By default none.",
          config::Limits{.min = 0, .max = 1e6, .example = "[0, 2, 2]"});
    field("after", after, "How many numbers to put after, for each dimension. By default none.",
          config::Limits{.min = 0, .max = 1e6, .example = "[0, 2, 2]"});
    field("value", value, "The number to put there.");
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const PadSpec&, const PadSpec&) = default;
};

}  // namespace tidemill::transform
