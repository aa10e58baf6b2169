// Columns whose rows are images.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "transform/engine/frame.h"
#include "transform/engine/numbers.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform {

// Images lie channel after channel, row after row.
struct ImageSize {
  int64_t channels = 1;
  int64_t height = 0;
  int64_t width = 0;

  int64_t Numbers() const { return channels * height * width; }
};

// The size of a column's rows, of shape [height, width] or [channels, height, width]; all 1, with a
// problem reported, for other columns.
ImageSize ImageSizeOf(OpBuilder& builder, std::string_view field, const BoundColumn& column);

// Declares the column `into`, or without a name the input itself, of the input's type and channels
// with another height and width.
BoundColumn ImageOutput(OpBuilder& builder, const std::string& into, const BoundColumn& input,
                        int64_t height, int64_t width);

// Copies the part of an image that begins at (top, left) and has the height and width of `to`. It
// may lie outside of the image in part; there `out` is left as it is.
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

// Calls body(row, in, out) for every row that is not bad, with pointers to its numbers in `input`
// and to as many zeros, of the same type, as a row of `output` has.
template <typename Body>
void ForEachImage(const BoundColumn& input, const BoundColumn& output, Frame& frame, Body&& body) {
  const int64_t in_width = input.schema.Width();
  const int64_t out_width = output.schema.Width();
  VisitNumbers(frame.Get(input.slot), [&]<typename T>(std::span<const T> in) {
    batch::Column column = NewColumn<T>(output.schema.name, frame.num_rows(), output.schema.shape);
    T* out = column.data.template MutableAs<T>().data();
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      if (!frame.IsBad(row)) body(row, in.data() + row * in_width, out + row * out_width);
    }
    frame.Set(output.slot, std::move(column));
  });
}

}  // namespace tidemill::transform
