// resize: images of another height and width.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/config_types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

enum class Interpolation { kBilinear, kNearest };

struct ResizeSpec {
  static constexpr std::string_view kType = "resize";
  static constexpr std::string_view kDoc =
      "Scales images of shape [height, width] or [channels, height, width]; their type stays. "
      "Pixel "
      "i of n takes its value at (i + 0.5) / n of the image. `bilinear` weighs the four pixels "
      "around "
      "that point by their distance, in double precision, and rounds whole numbers; `nearest` "
      "takes "
      "the pixel that the point lies in. Neither smooths before it shrinks.";
  std::string column = "image";
  int64_t height = 0;
  int64_t width = 0;
  Interpolation method = Interpolation::kBilinear;
  std::string into = {};
  bool autocache = false;

  void Fields(auto&& field) {
    field("column", column, "Column of images.");
    field("height", height, "Height to make, in pixels.",
          config::Limits{.min = 1, .max = 65535, .required = true, .example = "32"});
    field("width", width, "Width to make, in pixels.",
          config::Limits{.min = 1, .max = 65535, .required = true, .example = "32"});
    field("method", method, "How values between pixels are found.");
    field("into", into, "Name of the column to make; the column itself when not given.");
    field("autocache", autocache, kAutocacheDoc);
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const ResizeSpec&, const ResizeSpec&) = default;
};

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::Interpolation> {
  static constexpr std::pair<tidemill::transform::Interpolation, std::string_view> kNames[] = {
      {tidemill::transform::Interpolation::kBilinear, "bilinear"},
      {tidemill::transform::Interpolation::kNearest, "nearest"}};
};
