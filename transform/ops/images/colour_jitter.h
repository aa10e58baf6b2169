// colour_jitter: changes the brightness, contrast, saturation and hue of images, differently in
// every epoch.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::config {
class Problems;
}

namespace tidemill::transform {

struct ColourJitterSpec {
  static constexpr std::string_view kType = "colour_jitter";
  static constexpr std::string_view kDoc =
      "Changes images of shape [height, width], [1, height, width] or [3, height, width] (red, "
      "green, blue), of uint8 or floats: first the brightness, then the contrast, then the "
      "saturation, then the hue. Each of the first three has its own factor, which is uniform from "
      "1-x to 1+x. A pixel becomes factor * pixel + (1 - factor) * other, held between 0 and "
      "white. The other is 0 for the brightness, the mean of the image in grey for the contrast, "
      "and the pixel in grey for the "
      "saturation. Grey is 0.2989 * red + 0.587 * green + 0.114 * blue. In uint8, the fraction is "
      "cut off after each step. The hue is turned by a share of the circle of colours, which is "
      "uniform from -x to x. These are the definitions of torchvision's ColorJitter; for the hue, "
      "bytes differ from torchvision's by 1 at most. The saturation and the hue of a grey image do "
      "not change. The op acts only in training, and draws again in every epoch. What is drawn "
      "depends on the training's seed, trigger and epoch, and on the "
      "sample. It does not depend on batches or threads.";
  static constexpr bool kIsRandom = true;
  std::string column = "image";
  double brightness = 0;
  double contrast = 0;
  double saturation = 0;
  double hue = 0;
  std::optional<double> white = {};
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of images.");
    field("brightness", brightness, "x for the brightness. 0 leaves it unchanged.",
          config::Limits{.min = 0, .max = 1, .example = "0.4"});
    field("contrast", contrast, "x for the contrast. 0 leaves it unchanged.",
          config::Limits{.min = 0, .max = 1, .example = "0.4"});
    field("saturation", saturation, "x for the saturation. 0 leaves it unchanged.",
          config::Limits{.min = 0, .max = 1, .example = "0.4"});
    field("hue", hue,
          "x for the hue, as a share of the circle of colours: 0.5 reaches every colour. 0 leaves "
          "it unchanged.",
          config::Limits{.min = 0, .max = 0.5, .example = "0.1"});
    field("white", white,
          "The number of the brightest pixels in images of floats, which must be given: 1 or 255. "
          "In uint8 it is 255.",
          config::Limits{.min = 0, .example = "1"});
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const ColourJitterSpec&, const ColourJitterSpec&) = default;
};

}  // namespace tidemill::transform
