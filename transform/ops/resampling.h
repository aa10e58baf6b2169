// Images made smaller without losing what lies between the pixels that are kept: every new pixel is
// the weighted mean of all that it stands for.
#pragma once

#include <cstdint>
#include <vector>

#include "transform/engine/images.h"

namespace tidemill::transform {

enum class ResamplingFilter { kTriangle, kCubic };

// Which pixels along a side a new one is made of, and with which weights. The filter is as wide as
// the side is reduced, the weights of a pixel add up to 1.
struct Taps {
  // Places in `weights` for each new pixel, of which it uses the first `counts`.
  int64_t size = 0;
  std::vector<int64_t> firsts = {};
  std::vector<int64_t> counts = {};
  std::vector<double> weights = {};
};

// The same for bytes: weights in 2^22ths, each rounded, and every pixel uses all its places.
struct ByteTaps {
  int64_t size = 0;
  std::vector<int64_t> firsts = {};
  std::vector<int32_t> weights = {};
};

Taps TapsOf(int64_t from, int64_t to, ResamplingFilter filter);
ByteTaps ByteTapsOf(const Taps& taps, int64_t from);

// Scales images of one size to another as Pillow's resize() does with its filters BILINEAR and
// BICUBIC: along the rows, then along the columns, each number rounded to its type in between; a
// side that keeps its length is left alone. Bytes come out the same to the last bit. Immutable,
// hence thread-safe.
class Resampling {
 public:
  Resampling(const ImageSize& from, const ImageSize& to, ResamplingFilter filter);

  // `between`: memory for BetweenSize() numbers.
  template <typename T>
  void Run(const T* in, T* between, T* out) const;
  int64_t BetweenSize() const { return from_.height * to_.width; }

 private:
  const ImageSize from_;
  const ImageSize to_;
  const Taps along_rows_;
  const Taps along_columns_;
  const ByteTaps bytes_along_rows_;
  const ByteTaps bytes_along_columns_;
};

}  // namespace tidemill::transform
