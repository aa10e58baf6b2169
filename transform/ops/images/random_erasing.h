// random_erasing: writes a number over a part of some images, different ones in every epoch.
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

struct RandomErasingSpec {
  static constexpr std::string_view kType = "random_erasing";
  static constexpr std::string_view kDoc =
      "Writes a number over a rectangle of images of shape [height, width] or [channels, height, "
      "width], in all channels, with a given probability. The rectangle's share of the area is "
      "uniform from `min_area` to `max_area`. The logarithm of its height divided by its width is "
      "uniform between those of `min_aspect` and `max_aspect`. Both sides are rounded to whole "
      "pixels. All places are equally likely. A rectangle that is not lower and narrower than the "
      "image is drawn again. After ten of them the image stays unchanged. This is the "
      "definition of torchvision's RandomErasing. The op acts only in training, and draws again in "
      "every epoch. The draw depends on the training's seed, trigger and epoch, and on the sample. "
      "It does not depend on batches or threads.";
  static constexpr bool kIsRandom = true;
  std::string column = "image";
  double probability = 0.5;
  double min_area = 0.02;
  double max_area = 0.33;
  double min_aspect = 0.3;
  double max_aspect = 3.3;
  double value = 0;
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of images.");
    field("probability", probability, "Share of the images to erase a part of.",
          config::Limits{.min = 0, .max = 1});
    field("min_area", min_area, "Smallest share of the area of an image to erase.",
          config::Limits{.min = 0, .max = 1});
    field("max_area", max_area, "Largest share of the area of an image to erase.",
          config::Limits{.min = 0, .max = 1});
    field("min_aspect", min_aspect, "Smallest height of the rectangle divided by its width.",
          config::Limits{.min = 0.001, .max = 1000});
    field("max_aspect", max_aspect, "Largest height of the rectangle divided by its width.",
          config::Limits{.min = 0.001, .max = 1000});
    field("value", value, "The number to write. After normalize, 0 is the mean.");
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const RandomErasingSpec&, const RandomErasingSpec&) = default;
};

}  // namespace tidemill::transform
