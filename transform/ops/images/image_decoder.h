// Decodes PNG and JPEG files into pixels.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "transform/engine/op_effect.h"

// The steps of the two decoders. Planes are all of channel 0, then all of channel 1, and so on.
//
//   JPEG   header, size --> scaled by n / 8 in the DCT --> skip to the part --> planes, row by row
//                                                          rows and columns            |
//                                                                          the rest, dropped
//   PNG    header, size --> all rows, interleaved ------------------------> planes
//
// The rest of a JPEG is read, too, so that damage after the part is found.

namespace tidemill::transform {

// The size and colours of the wanted pixels.
struct ImageShape {
  int64_t channels = 3;  // 1 (grey) or 3 (red, green, blue).
  int64_t height = 0;
  int64_t width = 0;

  int64_t Size() const { return channels * height * width; }
};

// The most pixels in an image. A larger image is refused before any memory is allocated for it.
inline constexpr int64_t kMaxPixels = 64'000'000;

// Whether the image is turned and mirrored as the Exif data of its file ask.
enum class Orientation { kIgnore, kApply };

// Decodes a PNG or JPEG file, recognised by its first bytes, into `pixels` of shape.Size() bytes,
// channel after channel. Colours become grey, or grey becomes colours, as `shape` asks. 16 bits
// become 8. Alpha is dropped. Colour profiles and gamma are ignored. Four inks (CMYK) are inverted,
// as Adobe's programs write them, and become colours without a profile. DATA_LOSS when the file is
// damaged, has another height or width, or is neither; the message names other known kinds of
// images. No crafted file can do more than cause this status.
absl::Status DecodeImage(std::string_view file, const ImageShape& shape, Orientation orientation,
                         std::span<uint8_t> pixels);
// Makes at least these pixels. The others are undefined. All of the file is read, so that damage
// anywhere in it is found.
absl::Status DecodeImage(std::string_view file, const ImageShape& shape, Orientation orientation,
                         const ImagePart& part, std::span<uint8_t> pixels);

// Returns the size at `eighths` of the height and the width, rounded up.
ImageShape ReducedShape(const ImageShape& shape, int eighths);

// Decodes a file whose image has the height and width of `shape`, at `eighths` of both: 1, 2, 4 or
// 8. `pixels` has the size of ReducedShape(). A JPEG is reduced while it is decoded, which takes
// less time: a block of 8 x 8 pixels becomes one of 1 x 1, 2 x 2 or 4 x 4, made of its lowest
// frequencies. A PNG is scaled as by DecodeStretched(). Returns the errors of DecodeImage().
absl::Status DecodeReduced(std::string_view file, const ImageShape& shape, int eighths,
                           Orientation orientation, std::span<uint8_t> pixels);

// Returns the size of a PNG or JPEG file as stored, and whether it holds colours (3 channels) or
// grey (1). Only the front of the file is read. Returns the errors of DecodeImage(). An image of
// more than kMaxPixels is DATA_LOSS.
absl::StatusOr<ImageShape> ReadImageHeader(std::string_view file);

// Decodes a file of any size, and scales the image to `shape` as Pillow's resize() does with its
// filter BILINEAR. Height and width may change in different proportions. Returns the errors of
// DecodeImage(). With `reduced`, scales a JPEG from the smallest DecodeReduced() that is at least
// as high and wide as `shape`.
absl::Status DecodeStretched(std::string_view file, const ImageShape& shape,
                             Orientation orientation, bool reduced, std::span<uint8_t> pixels);

}  // namespace tidemill::transform
