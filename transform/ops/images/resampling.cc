#include "transform/ops/images/resampling.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/numbers/each_processor.h"

// One side of an image, scaled from 8 to 3 pixels with the triangle filter:
//
//   old pixels     0   1   2   3   4   5   6   7
//   new pixel 0    +-----------+                      firsts[0] = 0, counts[0] = 4
//   new pixel 1        +-------------------+          firsts[1] = 1, counts[1] = 6
//   new pixel 2                    +-----------+      firsts[2] = 4, counts[2] = 4
//   (centres at (x + 0.5) * 8 / 3, 8 / 3 to each side; taps beyond an edge are left out)
//
//   new[x] = sum over i < size of old[firsts[x] + i] * weights[x * size + i]
//
// Rows of bytes are transposed and scaled sixteen at a time, so that one register holds the same
// pixel of all of them.

namespace tidemill::transform {
namespace {

constexpr int kWeightBits = 22;

double SupportOf(ResamplingFilter filter) {
  return filter == ResamplingFilter::kTriangle ? 1.0 : 2.0;
}

// Keys, "Cubic Convolution Interpolation for Digital Image Processing" (1981), with a = -1/2.
double Cubic(double x) {
  constexpr double kSlope = -0.5;
  if (x < 1) return ((kSlope + 2) * x - (kSlope + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * kSlope;
  return 0;
}

double ValueAt(ResamplingFilter filter, double x) {
  x = std::abs(x);
  return filter == ResamplingFilter::kTriangle ? std::max(0.0, 1 - x) : Cubic(x);
}

uint8_t ToByte(int32_t sum) { return static_cast<uint8_t>(std::clamp(sum >> kWeightBits, 0, 255)); }

template <typename T>
T ToNumber(double sum) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(std::round(sum));
  return static_cast<T>(sum);
}

// Rows are scaled this many at once, so that one register holds the same pixel of all of them.
constexpr int64_t kRowsAtOnce = 16;

// `kSize` taps a pixel. Pixel x of row r is in[x * kRowsAtOnce + r].
template <int64_t kSize>
inline __attribute__((always_inline)) void ScaleTogether(const uint8_t* __restrict in,
                                                         const ByteTaps& taps, int64_t width,
                                                         uint8_t* __restrict out) {
  const int32_t* weights = taps.weights.data();
  for (int64_t x = 0; x < width; ++x, weights += kSize, out += kRowsAtOnce) {
    const uint8_t* from = in + taps.firsts[x] * kRowsAtOnce;
    for (int64_t row = 0; row < kRowsAtOnce; ++row) {
      int32_t sum = 1 << (kWeightBits - 1);
      for (int64_t i = 0; i < kSize; ++i) sum += from[i * kRowsAtOnce + row] * weights[i];
      const int32_t value = sum >> kWeightBits;
      out[row] = static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
    }
  }
}

constexpr int64_t kMaxTapsTogether = 6;

TIDEMILL_FOR_EACH_PROCESSOR
void ScaleTogether(const uint8_t* in, const ByteTaps& taps, int64_t width, uint8_t* out) {
  switch (taps.size) {
    case 1:
      return ScaleTogether<1>(in, taps, width, out);
    case 2:
      return ScaleTogether<2>(in, taps, width, out);
    case 3:
      return ScaleTogether<3>(in, taps, width, out);
    case 4:
      return ScaleTogether<4>(in, taps, width, out);
    case 5:
      return ScaleTogether<5>(in, taps, width, out);
    default:
      return ScaleTogether<kMaxTapsTogether>(in, taps, width, out);
  }
}

// Row r, pixel x of 16 x 16 pixels becomes row x, pixel r. Strides are those from row to row.
void Transpose(const uint8_t* in, int64_t in_stride, uint8_t* out, int64_t out_stride) {
  using Row = uint8_t __attribute__((vector_size(kRowsAtOnce)));
  Row rows[kRowsAtOnce];
  for (int64_t i = 0; i < kRowsAtOnce; ++i) {
    std::memcpy(&rows[i], in + i * in_stride, sizeof(Row));
  }
  // Each round interleaves the first half of the rows with the second.
  for (int round = 0; round < 4; ++round) {
    Row next[kRowsAtOnce];
    for (int64_t i = 0; i < kRowsAtOnce / 2; ++i) {
      const Row a = rows[i];
      const Row b = rows[i + kRowsAtOnce / 2];
      next[2 * i] =
          __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      next[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                                14, 30, 15, 31);
    }
    std::copy_n(next, kRowsAtOnce, rows);
  }
  for (int64_t i = 0; i < kRowsAtOnce; ++i) {
    std::memcpy(out + i * out_stride, &rows[i], sizeof(Row));
  }
}

// The places where blocks of kRowsAtOnce pixels begin; the last one may overlap the one before.
template <typename Function>
void ForEachBlock(int64_t width, const Function& function) {
  for (int64_t x = 0; x < width; x += kRowsAtOnce) {
    function(std::min(x, width - kRowsAtOnce));
  }
}

void ScaleRow(const uint8_t* in, const ByteTaps& taps, int64_t width, uint8_t* out) {
  for (int64_t x = 0; x < width; ++x) {
    const uint8_t* from = in + taps.firsts[x];
    const int32_t* weights = taps.weights.data() + x * taps.size;
    int32_t sum = 1 << (kWeightBits - 1);
    for (int64_t i = 0; i < taps.size; ++i) sum += from[i] * weights[i];
    out[x] = ToByte(sum);
  }
}

template <typename T>
void ScaleRow(const T* in, const Taps& taps, int64_t width, T* out) {
  for (int64_t x = 0; x < width; ++x) {
    const T* from = in + taps.firsts[x];
    const double* weights = taps.weights.data() + x * taps.size;
    double sum = 0;
    for (int64_t i = 0; i < taps.counts[x]; ++i) sum += static_cast<double>(from[i]) * weights[i];
    out[x] = ToNumber<T>(sum);
  }
}

// `height` rows of `from` pixels, which begin `stride` apart.
template <typename T, typename AnyTaps>
void ScaleRows(const T* in, int64_t stride, const AnyTaps& taps, int64_t height, int64_t from,
               int64_t to, T* out) {
  int64_t y = 0;
  if constexpr (std::is_same_v<T, uint8_t>) {
    if (taps.size <= kMaxTapsTogether && height >= kRowsAtOnce &&
        std::min(from, to) >= kRowsAtOnce) {
      std::vector<uint8_t> columns((from + to) * kRowsAtOnce);
      uint8_t* const scaled = columns.data() + from * kRowsAtOnce;
      for (; y + kRowsAtOnce <= height; y += kRowsAtOnce) {
        ForEachBlock(from, [&](int64_t x) {
          Transpose(in + y * stride + x, stride, &columns[x * kRowsAtOnce], kRowsAtOnce);
        });
        ScaleTogether(columns.data(), taps, to, scaled);
        ForEachBlock(to, [&](int64_t x) {
          Transpose(scaled + x * kRowsAtOnce, kRowsAtOnce, out + y * to + x, to);
        });
      }
    }
  }
  for (; y < height; ++y) ScaleRow(in + y * stride, taps, to, out + y * to);
}

// The sum of `count` consecutive rows, each with its weight, for the pixels that a
// vector register or a few of them hold.
TIDEMILL_FOR_EACH_PROCESSOR
void AddRows(const uint8_t* __restrict rows, int64_t stride, int64_t width,
             const int32_t* __restrict weights, int64_t count, uint8_t* __restrict out) {
  constexpr int64_t kAtOnce = 64;
  int32_t sums[kAtOnce];
  for (int64_t begin = 0; begin < width; begin += kAtOnce) {
    const int64_t size = width - begin < kAtOnce ? width - begin : kAtOnce;
    for (int64_t x = 0; x < size; ++x) sums[x] = 1 << (kWeightBits - 1);
    for (int64_t i = 0; i < count; ++i) {
      const uint8_t* row = rows + i * stride + begin;
      const int32_t weight = weights[i];
      for (int64_t x = 0; x < size; ++x) sums[x] += row[x] * weight;
    }
    for (int64_t x = 0; x < size; ++x) {
      const int32_t value = sums[x] >> kWeightBits;
      out[begin + x] = static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
    }
  }
}

// Columns of `width` pixels a row. Rows begin `stride` and `to_stride` apart.
void ScaleColumns(const uint8_t* in, int64_t stride, const ByteTaps& taps, int64_t width,
                  uint8_t* out, int64_t to_stride) {
  for (size_t y = 0; y < taps.firsts.size(); ++y, out += to_stride) {
    AddRows(in + taps.firsts[y] * stride, stride, width, taps.weights.data() + y * taps.size,
            taps.size, out);
  }
}

template <typename T>
void ScaleColumns(const T* in, int64_t stride, const Taps& taps, int64_t width, T* out,
                  int64_t to_stride) {
  std::vector<double> sums(width);
  for (size_t y = 0; y < taps.firsts.size(); ++y, out += to_stride) {
    std::fill(sums.begin(), sums.end(), 0);
    const T* row = in + taps.firsts[y] * stride;
    for (int64_t i = 0; i < taps.counts[y]; ++i, row += stride) {
      const double weight = taps.weights[y * taps.size + i];
      for (int64_t x = 0; x < width; ++x) sums[x] += static_cast<double>(row[x]) * weight;
    }
    for (int64_t x = 0; x < width; ++x) out[x] = ToNumber<T>(sums[x]);
  }
}

// Adds one new pixel's taps, at `at` in the old ones' measure. A tap beyond the edge does not
// count.
void AddTaps(double at, double reduction, double support, int64_t from, ResamplingFilter filter,
             Taps& taps) {
  const int64_t begin = std::max<int64_t>(0, static_cast<int64_t>(at - support + 0.5));
  const int64_t end = std::min(from, static_cast<int64_t>(at + support + 0.5));
  std::vector<double> weights;
  double total = 0;
  for (int64_t i = begin; i < end; ++i) {
    weights.push_back(ValueAt(filter, (static_cast<double>(i) - at + 0.5) * (1 / reduction)));
    total += weights.back();
  }
  if (total != 0) {
    for (double& weight : weights) weight /= total;
  }
  weights.resize(taps.size, 0);
  taps.firsts.push_back(begin);
  taps.counts.push_back(end - begin);
  taps.weights.insert(taps.weights.end(), weights.begin(), weights.end());
}

// Leaves the taps of the new pixels [begin, end), and counts old pixels from the first one that one
// of them reads. Returns the old pixels.
std::pair<int64_t, int64_t> Cut(int64_t begin, int64_t end, int64_t from, Taps& taps,
                                ByteTaps& bytes) {
  std::pair<int64_t, int64_t> read = {from, 0};
  for (int64_t i = begin; i < end; ++i) {
    read.first = std::min({read.first, taps.firsts[i], bytes.firsts[i]});
    read.second =
        std::max({read.second, taps.firsts[i] + taps.counts[i], bytes.firsts[i] + bytes.size});
  }
  const auto keep = [&](auto& numbers, int64_t size) {
    numbers = {numbers.begin() + begin * size, numbers.begin() + end * size};
  };
  for (std::vector<int64_t>* firsts : {&taps.firsts, &bytes.firsts}) {
    keep(*firsts, 1);
    for (int64_t& first : *firsts) first -= read.first;
  }
  keep(taps.counts, 1);
  keep(taps.weights, taps.size);
  keep(bytes.weights, bytes.size);
  return read;
}

// Sums of whole multiples of 2^-22, which float64 holds exactly, and the rounding of ToByte().
StepId WriteRounding(StepId sums, PortableGraph& graph) {
  constexpr auto kWide = batch::DataType::kFloat64;
  const auto number = [&](double value) { return graph.Number(kWide, value); };
  const StepId half = number(std::ldexp(1.0, kWeightBits - 1));
  const StepId rounded = graph.Apply(
      StepKind::kFloor, graph.Apply(StepKind::kDivide, graph.Apply(StepKind::kAdd, sums, half),
                                    number(std::ldexp(1.0, kWeightBits))));
  const StepId zero = number(0);
  const StepId last = number(255);
  const StepId not_below = graph.Where(graph.Apply(StepKind::kLess, rounded, zero), zero, rounded);
  return graph.Where(graph.Apply(StepKind::kLess, last, not_below), last, not_below);
}

}  // namespace

Taps TapsOf(int64_t from, int64_t to, ResamplingFilter filter) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double reduction = std::max(scale, 1.0);
  const double support = SupportOf(filter) * reduction;
  Taps taps{.size = static_cast<int64_t>(std::ceil(support)) * 2 + 1};
  for (int64_t i = 0; i < to; ++i) {
    AddTaps((static_cast<double>(i) + 0.5) * scale, reduction, support, from, filter, taps);
  }
  return taps;
}

// Near the end of the side, taps begin earlier, with weights of 0, so as to stay within it.
ByteTaps ByteTapsOf(const Taps& taps, int64_t from) {
  ByteTaps bytes{.size = *std::max_element(taps.counts.begin(), taps.counts.end())};
  for (size_t i = 0; i < taps.firsts.size(); ++i) {
    const int64_t shift = std::max<int64_t>(0, taps.firsts[i] + bytes.size - from);
    bytes.firsts.push_back(taps.firsts[i] - shift);
    for (int64_t tap = 0; tap < bytes.size; ++tap) {
      const double weight = tap < shift ? 0 : taps.weights[i * taps.size + tap - shift];
      const double scaled = std::ldexp(weight, kWeightBits);
      bytes.weights.push_back(static_cast<int32_t>(scaled + (scaled < 0 ? -0.5 : 0.5)));
    }
  }
  return bytes;
}

Resampling::Resampling(const ImageSize& from, const ImageSize& to, ResamplingFilter filter)
    : Resampling(from, to, filter, {0, to.height, 0, to.width}) {}

Resampling::Resampling(const ImageSize& from, const ImageSize& to, ResamplingFilter filter,
                       const ImagePart& part)
    : from_(from),
      to_(to),
      made_(part),
      along_rows_(TapsOf(from.width, to.width, filter)),
      along_columns_(TapsOf(from.height, to.height, filter)),
      bytes_along_rows_(ByteTapsOf(along_rows_, from.width)),
      bytes_along_columns_(ByteTapsOf(along_columns_, from.height)),
      read_(part) {
  // A side that keeps its length needs what it makes.
  if (from.width != to.width) {
    std::tie(read_.left, read_.right) =
        Cut(part.left, part.right, from.width, along_rows_, bytes_along_rows_);
  }
  if (from.height != to.height) {
    std::tie(read_.top, read_.bottom) =
        Cut(part.top, part.bottom, from.height, along_columns_, bytes_along_columns_);
  }
}

template <typename T>
void Resampling::Run(const T* in, T* between, T* out) const {
  const auto& [along_rows, along_columns] = [&] {
    if constexpr (std::is_same_v<T, uint8_t>) {
      return std::tie(bytes_along_rows_, bytes_along_columns_);
    } else {
      return std::tie(along_rows_, along_columns_);
    }
  }();
  const int64_t width = made_.right - made_.left;
  const int64_t height = read_.bottom - read_.top;
  in += read_.top * from_.width + read_.left;
  out += made_.top * to_.width + made_.left;
  const int64_t in_size = from_.height * from_.width;
  const int64_t out_size = to_.height * to_.width;
  for (int64_t channel = 0; channel < from_.channels; ++channel, in += in_size, out += out_size) {
    const T* narrow = in;
    int64_t stride = from_.width;
    if (from_.width != to_.width) {
      ScaleRows(in, stride, along_rows, height, read_.right - read_.left, width, between);
      narrow = between;
      stride = width;
    }
    if (from_.height != to_.height) {
      ScaleColumns(narrow, stride, along_columns, width, out, to_.width);
    } else {
      for (int64_t y = 0; y < height; ++y) {
        std::copy_n(narrow + y * stride, width, out + y * to_.width);
      }
    }
  }
}

void Resampling::WriteSteps(const BoundColumn& input, const BoundColumn& output,
                            PortableGraph& graph) const {
  constexpr auto kWide = batch::DataType::kFloat64;
  // The weight of old pixel `from` in new pixel `to`, at to * to_step + from * from_step.
  const auto weights = [](const ByteTaps& taps, int64_t to_step, int64_t from_step, int64_t size) {
    std::vector<double> matrix(static_cast<size_t>(size), 0);
    for (int64_t to = 0; to < std::ssize(taps.firsts); ++to) {
      for (int64_t tap = 0; tap < taps.size; ++tap) {
        const int64_t from = taps.firsts[static_cast<size_t>(to)] + tap;
        matrix[static_cast<size_t>(to * to_step + from * from_step)] +=
            taps.weights[static_cast<size_t>(to * taps.size + tap)];
      }
    }
    return matrix;
  };
  StepId image = graph.Cast(graph.Get(input), kWide);
  if (from_.width != to_.width) {
    const StepId matrix =
        graph.Constant("along_rows", kWide, {from_.width, to_.width},
                       weights(bytes_along_rows_, 1, to_.width, from_.width * to_.width));
    image = WriteRounding(graph.MatrixProduct(image, matrix), graph);
  }
  if (from_.height != to_.height) {
    const StepId matrix =
        graph.Constant("along_columns", kWide, {to_.height, from_.height},
                       weights(bytes_along_columns_, from_.height, 1, from_.height * to_.height));
    image = WriteRounding(graph.MatrixProduct(matrix, image), graph);
  }
  graph.Set(output, graph.Cast(image, batch::DataType::kUInt8));
}

template void Resampling::Run(const uint8_t*, uint8_t*, uint8_t*) const;
template void Resampling::Run(const int32_t*, int32_t*, int32_t*) const;
template void Resampling::Run(const float*, float*, float*) const;
template void Resampling::Run(const double*, double*, double*) const;

}  // namespace tidemill::transform
