#include "transform/ops/images/turn.h"

namespace tidemill::transform {

void Turn(std::span<const uint8_t> from, int orientation, const ImageShape& turned,
          std::span<uint8_t> to) {
  const bool exchanges = ExchangesSides(orientation);
  const int64_t height = exchanges ? turned.width : turned.height;
  const int64_t width = exchanges ? turned.height : turned.width;
  // Which ends of the stored rows and columns come last.
  const bool from_bottom =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool from_right =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const int64_t row_step = (from_bottom ? -1 : 1) * width;
  const int64_t column_step = from_right ? -1 : 1;
  const int64_t start = (from_bottom ? (height - 1) * width : 0) + (from_right ? width - 1 : 0);
  const int64_t down = exchanges ? column_step : row_step;
  const int64_t across = exchanges ? row_step : column_step;
  const int64_t plane = height * width;
  uint8_t* out = to.data();
  for (int64_t channel = 0; channel < turned.channels; ++channel) {
    const uint8_t* const in = from.data() + channel * plane + start;
    for (int64_t y = 0; y < turned.height; ++y) {
      for (int64_t x = 0; x < turned.width; ++x) *out++ = in[y * down + x * across];
    }
  }
}

}  // namespace tidemill::transform
