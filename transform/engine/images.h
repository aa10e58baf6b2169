// Columns whose rows are images.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "transform/engine/block_op.h"

namespace tidemill::transform {

// The size of an image. Its numbers are stored channel after channel, row after row.
struct ImageSize {
  int64_t channels = 1;
  int64_t height = 0;
  int64_t width = 0;

  int64_t Numbers() const { return channels * height * width; }
};

// Images are reduced by whole eighths of their sides, because JPEG divides them into blocks of 8
// x 8.
inline constexpr int kEighths = 8;

// Returns this many eighths of the length of a side, rounded up.
inline int64_t ReducedSide(int64_t length, int eighths) {
  return (length * eighths + kEighths - 1) / kEighths;
}

// Returns the smallest of 1, 2, 4 and 8 eighths at which no side is shorter than that of `to`; 8 if
// none is.
int LeastEighths(const ImageSize& from, const ImageSize& to);

// Returns the size of the images in a column whose shape is [height, width] or [channels, height,
// width]. For any other shape, reports a problem and returns a size of 1 in all dimensions.
ImageSize ImageSizeOf(OpBuilder& builder, std::string_view field, const BoundColumn& column);

// Declares the output column `into`; an empty name replaces the input. The output has the input's
// type and channels, and another height and width.
BoundColumn ImageOutput(OpBuilder& builder, const std::string& into, const BoundColumn& input,
                        int64_t height, int64_t width);

// Copies the part of an image that begins at (top, left) and has the height and width of `to`.
// Where the part is outside the image, `out` is left unchanged.
template <typename T>
void CopyPart(const T* in, const ImageSize& from, int64_t top, int64_t left, const ImageSize& to,
              T* out) {
  const int64_t begin = std::clamp<int64_t>(-left, 0, to.width);
  const int64_t end = std::clamp<int64_t>(from.width - left, begin, to.width);
  if (begin == end) return;
  for (int64_t channel = 0; channel < to.channels; ++channel) {
    for (int64_t y = 0; y < to.height; ++y) {
      if (top + y < 0 || top + y >= from.height) continue;
      const T* row = in + (channel * from.height + top + y) * from.width;
      std::copy(row + (left + begin), row + (left + end),
                out + (channel * to.height + y) * to.width + begin);
    }
  }
}

// An op that makes an image from an image of the same type.
class ImageOp : public BlockOp {
 public:
  ImageOp(const BoundColumn& input, const BoundColumn& output) : BlockOp({input}, {output}) {}

 protected:
  // Calls body(row, in, out) for every row that is not bad. `in` points to the row's numbers in the
  // input. `out` points to the output row, filled with zeros of the same type. A bad row becomes
  // zeros.
  template <typename Body>
  void ForEachImage(const Block& block, Body&& body) const {
    VisitInput(block, 0, [&]<typename T>(std::span<const T> in) {
      const std::span<T> out = OutputOf<T>(block, 0);
      std::fill(out.begin(), out.end(), T{});
      for (int64_t i = 0; i < block.num_rows; ++i) {
        const int64_t row = block.first_row + i;
        if (block.frame.IsBad(row)) continue;
        body(row, in.data() + i * InputWidth(0), out.data() + i * OutputWidth(0));
      }
    });
  }
};

}  // namespace tidemill::transform
