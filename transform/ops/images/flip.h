// flip: mirrors images.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

enum class FlipDirection { kHorizontal, kVertical };

struct FlipSpec {
  static constexpr std::string_view kType = "flip";
  static constexpr std::string_view kDoc =
      "Mirrors images of shape [height, width] or [channels, height, width].";
  static constexpr bool kIsRandom = false;
  std::string column = "image";
  FlipDirection direction = FlipDirection::kHorizontal;
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of images.");
    field("direction", direction, "`horizontal` swaps left and right, `vertical` top and bottom.");
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const FlipSpec&, const FlipSpec&) = default;
};

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::FlipDirection> {
  static constexpr std::pair<tidemill::transform::FlipDirection, std::string_view> kNames[] = {
      {tidemill::transform::FlipDirection::kHorizontal, "horizontal"},
      {tidemill::transform::FlipDirection::kVertical, "vertical"}};
};
