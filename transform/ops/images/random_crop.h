// random_crop: cuts a different part out of each image in every epoch.
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

struct RandomCropSpec {
  static constexpr std::string_view kType = "random_crop";
  static constexpr std::string_view kDoc =
      "Cuts a part out of images of shape [height, width] or [channels, height, width], after "
      "`padding` zeros are put around them. In training, the place is random: all places are "
      "equally likely, and it is drawn again in every epoch. Otherwise the part is in the middle. "
      "The draw depends on the training's seed, trigger and epoch, and on the sample. It does not "
      "depend on batches or threads.";
  static constexpr bool kIsRandom = true;
  std::string column = "image";
  int64_t height = 0;
  int64_t width = 0;
  int64_t padding = 0;
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of images.");
    field("height", height, "Height of the part, in pixels.",
          config::Limits{.min = 1, .max = 65535, .required = true, .example = "32"});
    field("width", width, "Width of the part, in pixels.",
          config::Limits{.min = 1, .max = 65535, .required = true, .example = "32"});
    field("padding", padding, "Zeros to put on every side first.",
          config::Limits{.min = 0, .max = 65535, .example = "4"});
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const RandomCropSpec&, const RandomCropSpec&) = default;
};

}  // namespace tidemill::transform
