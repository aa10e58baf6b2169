// random_flip: mirrors some images, different ones in every epoch.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/types.h"
#include "transform/engine/op_spec.h"
#include "transform/ops/images/flip.h"

namespace tidemill::config {
class Problems;
}

namespace tidemill::transform {

struct RandomFlipSpec {
  static constexpr std::string_view kType = "random_flip";
  static constexpr std::string_view kDoc =
      "Mirrors images of shape [height, width] or [channels, height, width] with a given "
      "probability. It draws again in every epoch and acts only in training. The draw depends on "
      "the training's seed, trigger and epoch, and on the sample. It does not depend on batches or "
      "threads.";
  static constexpr bool kIsRandom = true;
  std::string column = "image";
  double probability = 0.5;
  FlipDirection direction = FlipDirection::kHorizontal;
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of images.");
    field("probability", probability, "Share of the images to mirror.",
          config::Limits{.min = 0, .max = 1});
    field("direction", direction, "`horizontal` swaps left and right, `vertical` top and bottom.");
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const RandomFlipSpec&, const RandomFlipSpec&) = default;
};

}  // namespace tidemill::transform
