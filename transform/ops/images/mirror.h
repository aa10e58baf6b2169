// Mirrors one image.
#pragma once

#include <algorithm>

#include "transform/engine/images.h"
#include "transform/ops/images/flip.h"

namespace tidemill::transform {

template <typename T>
void Mirror(const T* in, const ImageSize& size, FlipDirection direction, T* out) {
  const int64_t rows = size.channels * size.height;
  for (int64_t row = 0; row < rows; ++row, in += size.width) {
    if (direction == FlipDirection::kHorizontal) {
      std::reverse_copy(in, in + size.width, out + row * size.width);
    } else {
      const int64_t y = row % size.height;
      std::copy(in, in + size.width, out + (row - y + size.height - 1 - y) * size.width);
    }
  }
}

}  // namespace tidemill::transform
