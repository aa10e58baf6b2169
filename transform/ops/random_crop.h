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
      "Cuts a part out of images of shape [height, width] or [channels, height, width] around "
      "which `padding` zeros were put: in training anywhere, each place as likely, drawn anew in "
      "every epoch; otherwise in the middle. What is drawn depends on the training's seed, trigger "
      "and epoch, and on the sample, not on batches or threads.";
  static constexpr bool kIsRandom = true;
  std::string column = "image";
  int64_t height = 0;
  int64_t width = 0;
  int64_t padding = 0;
  std::string into = {};
  bool autocache = false;

  void Fields(auto&& field) {
    field("column", column, "Column of images.");
    field("height", height, "Height of the part, in pixels.",
          config::Limits{.min = 1, .max = 65535, .required = true, .example = "32"});
    field("width", width, "Width of the part, in pixels.",
          config::Limits{.min = 1, .max = 65535, .required = true, .example = "32"});
    field("padding", padding, "Zeros put on every side first.",
          config::Limits{.min = 0, .max = 65535, .example = "4"});
    field("into", into, "Name of the column to make; the column itself when not given.");
    field("autocache", autocache, kAutocacheDoc);
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const RandomCropSpec&, const RandomCropSpec&) = default;
};

}  // namespace tidemill::transform
