// PNG and JPEG files to pixels.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"

namespace tidemill::transform {

// Size and colours of the pixels wanted.
struct ImageShape {
  int64_t channels = 3;  // 1 (grey) or 3 (red, green, blue).
  int64_t height = 0;
  int64_t width = 0;

  int64_t Size() const { return channels * height * width; }
};

// Pixels in an image, at most; a larger one is refused before any memory is taken for it.
inline constexpr int64_t kMaxPixels = 64'000'000;

// Decodes a file that is a PNG or a JPEG, by its first bytes, into `pixels` of shape.Size() bytes,
// channel after channel. Colours become grey, or grey colours, as `shape` asks; 16 bits become 8;
// alpha is dropped; colour profiles and gamma are ignored. DATA_LOSS for a file that is neither, is
// damaged, or has another height or width. No file, however made, does more harm than that.
absl::Status DecodeImage(std::string_view file, const ImageShape& shape, std::span<uint8_t> pixels);

}  // namespace tidemill::transform
