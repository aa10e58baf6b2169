// decode_image: decodes a PNG or JPEG file into a column of pixels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/types.h"
#include "transform/engine/op_spec.h"
#include "transform/ops/images/image_decoder.h"

template <>
struct tidemill::config::EnumNames<tidemill::transform::Orientation> {
  using E = tidemill::transform::Orientation;
  static constexpr std::pair<E, std::string_view> kNames[] = {{E::kIgnore, "ignore"},
                                                              {E::kApply, "apply"}};
};

namespace tidemill::transform {

// The treatment of an image of another size.
enum class ImageFit { kExact, kStretch };

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::ImageFit> {
  using E = tidemill::transform::ImageFit;
  static constexpr std::pair<E, std::string_view> kNames[] = {{E::kExact, "exact"},
                                                              {E::kStretch, "stretch"}};
};

namespace tidemill::transform {

struct DecodeImageSpec {
  static constexpr std::string_view kType = "decode_image";
  static constexpr std::string_view kDoc =
      "Decodes a PNG or JPEG file into uint8 pixels of shape [channels, height, width]. 16 bits a "
      "channel become 8, palettes become colours, alpha is dropped, and the inks of a CMYK JPEG "
      "become colours. Colour profiles and gamma are ignored. A file makes a bad sample if it is "
      "damaged, is neither PNG nor JPEG, or has another height or width and `fit` is exact.";
  static constexpr bool kIsRandom = false;
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 3;
  std::optional<std::string> column = std::nullopt;
  Orientation orientation = Orientation::kIgnore;
  ImageFit fit = ImageFit::kExact;
  bool reduced = false;
  std::string into = "image";

  void Fields(auto&& field) {
    field("height", height, "Height that every image has, or gets by `fit`, in pixels.",
          config::Limits{.min = 1, .max = 65535, .required = true, .example = "32"});
    field("width", width, "Width that every image has, or gets by `fit`, in pixels.",
          config::Limits{.min = 1, .max = 65535, .required = true, .example = "32"});
    field("channels", channels, "1 for grey; 3 for red, green and blue.",
          config::Limits{.min = 1, .max = 3});
    field("column", column,
          "Column of strings that are the files, such as parse_example makes. By default the "
          "sample is the file.",
          config::Limits{.example = "image/encoded"});
    field(
        "orientation", orientation,
        "`apply`: turn and mirror the image as the Exif data of its file ask, as viewers show it. "
        "Height and width are then those of the turned image. `ignore`: take the pixels as they "
        "are stored, as Pillow, torchvision and tf.io do.");
    field("fit", fit,
          "What becomes of an image of another height or width. `exact`: it makes a bad sample. "
          "`stretch`: it is scaled to this height and width, with `resize`'s bilinear and "
          "antialias; its sides may change in different proportions.");
    field(
        "reduced", reduced,
        "Decodes a JPEG at an eighth, a quarter or half of its height and width where a smaller "
        "image is made of it: by `fit: stretch`, or by an op `resize` with `antialias` that "
        "follows and replaces the column. It takes the smallest of these sizes that is at least "
        "the wanted one. That saves much of the time of decoding. Each pixel is then, to within 1 "
        "of 255 on average, the mean of those it stands for. Compared with whole images that are "
        "scaled, pixels differ by about 1 of 255 on average, and by about 4 where there is fine "
        "texture.");
    field("into", into, "Name of the column to make.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const DecodeImageSpec&, const DecodeImageSpec&) = default;
};

}  // namespace tidemill::transform
