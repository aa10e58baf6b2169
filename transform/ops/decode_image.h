// decode_image: decodes a PNG or JPEG file into a column of pixels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

struct DecodeImageSpec {
  static constexpr std::string_view kType = "decode_image";
  static constexpr std::string_view kDoc =
      "Decodes a PNG or JPEG file into uint8 pixels of shape [channels, height, width]. A file "
      "makes a bad sample if it is damaged, is neither PNG nor JPEG, or has another height or "
      "width.";
  static constexpr bool kIsRandom = false;
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 3;
  std::optional<std::string> column = std::nullopt;
  std::string into = "image";
  bool autocache = false;

  void Fields(auto&& field) {
    field("height", height, "Height that every image has, in pixels.",
          config::Limits{.min = 1, .max = 65535, .required = true, .example = "32"});
    field("width", width, "Width that every image has, in pixels.",
          config::Limits{.min = 1, .max = 65535, .required = true, .example = "32"});
    field("channels", channels, "1 for grey; 3 for red, green and blue.",
          config::Limits{.min = 1, .max = 3});
    field("column", column,
          "Column of strings that are the files, such as parse_example makes. By default the "
          "sample is the file.",
          config::Limits{.example = "image/encoded"});
    field("into", into, "Name of the column to make.");
    field("autocache", autocache, kAutocacheDoc);
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const DecodeImageSpec&, const DecodeImageSpec&) = default;
};

}  // namespace tidemill::transform
