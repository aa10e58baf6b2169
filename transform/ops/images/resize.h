// resize: scales images to another height and width.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::config {
class Problems;
}

namespace tidemill::transform {

enum class Interpolation { kBilinear, kBicubic, kNearest };

struct ResizeSpec {
  static constexpr std::string_view kType = "resize";
  static constexpr std::string_view kDoc =
      "Scales images of shape [height, width] or [channels, height, width]. Their type does not "
      "change. Pixel i of n takes its value at (i + 0.5) / n of the image. `bilinear` weighs the "
      "four pixels around that point by their distance, in double precision, and rounds whole "
      "numbers. `nearest` takes the pixel that contains the point. Neither smooths before it "
      "shrinks. With `antialias`, a pixel is the weighted mean of all pixels that it stands for, "
      "as in Pillow's resize() with the filters BILINEAR and BICUBIC. uint8 results are the same "
      "to the last bit.";
  static constexpr bool kIsRandom = false;
  std::string column = "image";
  int64_t height = 0;
  int64_t width = 0;
  Interpolation method = Interpolation::kBilinear;
  bool antialias = false;
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of images.");
    field("height", height, "Height to make, in pixels.",
          config::Limits{.min = 1, .max = 65535, .required = true, .example = "32"});
    field("width", width, "Width to make, in pixels.",
          config::Limits{.min = 1, .max = 65535, .required = true, .example = "32"});
    field("method", method,
          "How to find values between pixels. `bicubic` works only with `antialias`.");
    field("antialias", antialias,
          "Smooths as much as the image shrinks, so that nothing flickers. Models that were "
          "trained on photographs expect this.");
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const ResizeSpec&, const ResizeSpec&) = default;
};

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::Interpolation> {
  static constexpr std::pair<tidemill::transform::Interpolation, std::string_view> kNames[] = {
      {tidemill::transform::Interpolation::kBilinear, "bilinear"},
      {tidemill::transform::Interpolation::kBicubic, "bicubic"},
      {tidemill::transform::Interpolation::kNearest, "nearest"}};
};
