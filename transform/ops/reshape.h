// reshape: gives the numbers of a row another shape.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

struct ReshapeSpec {
  static constexpr std::string_view kType = "reshape";
  static constexpr std::string_view kDoc =
      "Gives the numbers of each row another shape of the same size. The numbers stay in the same "
      "order.";
  static constexpr bool kIsRandom = false;
  std::string column = {};
  std::vector<int64_t> shape = {};
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of numbers.",
          config::Limits{.required = true, .example = "image"});
    field("shape", shape, "The new shape. Empty for a single number.",
          config::Limits{.required = true, .example = "[1, 28, 28]"});
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const ReshapeSpec&, const ReshapeSpec&) = default;
};

}  // namespace tidemill::transform
