// crop: cuts a part out of each image.
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

struct CropSpec {
  static constexpr std::string_view kType = "crop";
  static constexpr std::string_view kDoc =
      "Cuts a part out of images of shape [height, width] or [channels, height, width]. It is the "
      "same part of each image. It is in the middle unless `offset` says where.";
  static constexpr bool kIsRandom = false;
  std::string column = "image";
  int64_t height = 0;
  int64_t width = 0;
  std::vector<int64_t> offset = {};
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of images.");
    field("height", height, "Height of the part, in pixels.",
          config::Limits{.min = 1, .max = 65535, .required = true, .example = "24"});
    field("width", width, "Width of the part, in pixels.",
          config::Limits{.min = 1, .max = 65535, .required = true, .example = "24"});
    field("offset", offset,
          "Pixels above the part and to the left of it. By default the part is in the middle, or "
          "half a pixel above or left of it.",
          config::Limits{.min = 0, .max = 65535, .example = "[0, 4]"});
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const CropSpec&, const CropSpec&) = default;
};

}  // namespace tidemill::transform
