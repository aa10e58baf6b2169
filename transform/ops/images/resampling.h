// Makes images smaller without skipping pixels. Every new pixel is the weighted mean of all pixels
// that it covers.
#pragma once

#include <cstdint>
#include <vector>

#include "transform/engine/images.h"
#include "transform/engine/portable_graph.h"

namespace tidemill::transform {

enum class ResamplingFilter { kTriangle, kCubic };

// For one side of an image, the source pixels and the weights of each new pixel. The filter is as
// wide as the reduction of the side. The weights of a new pixel add up to 1.
struct Taps {
  // The number of places in `weights` for each new pixel. The pixel uses the first `counts` of
  // them.
  int64_t size = 0;
  std::vector<int64_t> firsts = {};
  std::vector<int64_t> counts = {};
  std::vector<double> weights = {};
};

// The same for bytes. Weights are rounded multiples of 2^-22, and every pixel uses all its places.
struct ByteTaps {
  int64_t size = 0;
  std::vector<int64_t> firsts = {};
  std::vector<int32_t> weights = {};
};

Taps TapsOf(int64_t from, int64_t to, ResamplingFilter filter);
ByteTaps ByteTapsOf(const Taps& taps, int64_t from);

// Scales images of one size to another as Pillow's resize() does with its filters BILINEAR and
// BICUBIC. It scales along the rows, then along the columns. Each number is rounded to its type in
// between. A side that keeps its length is left alone. Bytes come out the same as Pillow's to the
// last bit. Immutable, so thread-safe.
class Resampling {
 public:
  Resampling(const ImageSize& from, const ImageSize& to, ResamplingFilter filter);
  // Makes only the pixels of a part, and does not write the others of `out`.
  Resampling(const ImageSize& from, const ImageSize& to, ResamplingFilter filter,
             const ImagePart& part);

  // Returns the old pixels that are read.
  const ImagePart& part_read() const { return read_; }

  // `between` is memory for BetweenSize() numbers.
  template <typename T>
  void Run(const T* in, T* between, T* out) const;
  int64_t BetweenSize() const { return from_.height * to_.width; }

  // Does the same for whole images of bytes, in steps.
  void WriteSteps(const BoundColumn& input, const BoundColumn& output, PortableGraph& graph) const;

 private:
  const ImageSize from_;
  const ImageSize to_;
  const ImagePart made_;
  // The taps of the pixels of `made_`. Old pixels are counted from the beginning of `read_`.
  Taps along_rows_;
  Taps along_columns_;
  ByteTaps bytes_along_rows_;
  ByteTaps bytes_along_columns_;
  ImagePart read_;
};

}  // namespace tidemill::transform
