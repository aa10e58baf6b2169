#include "transform/ops/audio/fourier.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/check.h"
#include "base/numbers/each_processor.h"

namespace tidemill::transform {
namespace {

// The radixes of the passes, whose product is the size; empty when there are none.
std::vector<int64_t> RadixesOf(int64_t size) {
  std::vector<int64_t> radixes;
  for (const int64_t radix : {4, 2, 3, 5}) {
    for (; size % radix == 0 && size > 1; size /= radix) radixes.push_back(radix);
  }
  return size == 1 ? radixes : std::vector<int64_t>();
}

// `count` complex numbers side by side.
struct Numbers {
  const float* real;
  const float* imaginary;
};
struct MutableNumbers {
  float* real;
  float* imaginary;
};

// exp(-2 pi j k / kRadix).
template <int kRadix>
struct Turns;
template <>
struct Turns<2> {
  static constexpr float kReal[] = {1, -1};
  static constexpr float kImaginary[] = {0, 0};
};
template <>
struct Turns<3> {
  static constexpr float kReal[] = {1, -0.5F, -0.5F};
  static constexpr float kImaginary[] = {0, -0.866025404F, 0.866025404F};
};
template <>
struct Turns<5> {
  static constexpr float kReal[] = {1, 0.309016994F, -0.809016994F, -0.809016994F, 0.309016994F};
  static constexpr float kImaginary[] = {0, -0.951056516F, -0.587785252F, 0.587785252F,
                                         0.951056516F};
};

// The sums over `kRadix` numbers, `in_step` apart, turned by `cosines` and `sines`. Results are
// `count` apart.
template <int kRadix>
inline __attribute__((always_inline)) void Combine(const Numbers& in, int64_t in_step,
                                                   const float* __restrict cosines,
                                                   const float* __restrict sines, int64_t count,
                                                   const MutableNumbers& out) {
  const float* __restrict in_real = in.real;
  const float* __restrict in_imaginary = in.imaginary;
  float* __restrict out_real = out.real;
  float* __restrict out_imaginary = out.imaginary;
  for (int64_t i = 0; i < count; ++i) {
    float real[kRadix];
    float imaginary[kRadix];
    for (int j = 0; j < kRadix; ++j) {
      real[j] = in_real[j * in_step + i];
      imaginary[j] = in_imaginary[j * in_step + i];
    }
    for (int r = 0; r < kRadix; ++r) {
      float sum_real = real[0];
      float sum_imaginary = imaginary[0];
      for (int j = 1; j < kRadix; ++j) {
        const int k = j * r % kRadix;
        sum_real += real[j] * Turns<kRadix>::kReal[k] - imaginary[j] * Turns<kRadix>::kImaginary[k];
        sum_imaginary +=
            real[j] * Turns<kRadix>::kImaginary[k] + imaginary[j] * Turns<kRadix>::kReal[k];
      }
      const float cosine = r == 0 ? 1 : cosines[r - 1];
      const float sine = r == 0 ? 0 : sines[r - 1];
      out_real[r * count + i] = sum_real * cosine - sum_imaginary * sine;
      out_imaginary[r * count + i] = sum_real * sine + sum_imaginary * cosine;
    }
  }
}

// The same for a radix of 4, whose turns need no multiplication.
template <>
inline __attribute__((always_inline)) void Combine<4>(const Numbers& in, int64_t in_step,
                                                      const float* __restrict cosines,
                                                      const float* __restrict sines, int64_t count,
                                                      const MutableNumbers& out) {
  const float* __restrict in_real = in.real;
  const float* __restrict in_imaginary = in.imaginary;
  float* __restrict out_real = out.real;
  float* __restrict out_imaginary = out.imaginary;
  for (int64_t i = 0; i < count; ++i) {
    const auto real = [&](int64_t j) { return in_real[j * in_step + i]; };
    const auto imaginary = [&](int64_t j) { return in_imaginary[j * in_step + i]; };
    const float even_real = real(0) + real(2);
    const float even_imaginary = imaginary(0) + imaginary(2);
    const float even_less_real = real(0) - real(2);
    const float even_less_imaginary = imaginary(0) - imaginary(2);
    const float odd_real = real(1) + real(3);
    const float odd_imaginary = imaginary(1) + imaginary(3);
    // The differences of the odd ones, times -j.
    const float odd_less_real = imaginary(1) - imaginary(3);
    const float odd_less_imaginary = real(3) - real(1);
    const auto write = [&](int64_t r, float sum_real, float sum_imaginary) {
      out_real[r * count + i] = sum_real * cosines[r - 1] - sum_imaginary * sines[r - 1];
      out_imaginary[r * count + i] = sum_real * sines[r - 1] + sum_imaginary * cosines[r - 1];
    };
    out_real[i] = even_real + odd_real;
    out_imaginary[i] = even_imaginary + odd_imaginary;
    write(1, even_less_real + odd_less_real, even_less_imaginary + odd_less_imaginary);
    write(2, even_real - odd_real, even_imaginary - odd_imaginary);
    write(3, even_less_real - odd_less_real, even_less_imaginary - odd_less_imaginary);
  }
}

// One pass over `groups` groups of `radix` times `count` numbers.
template <int kRadix>
inline __attribute__((always_inline)) void RunPass(const Numbers& in, int64_t groups, int64_t count,
                                                   const float* cosines, const float* sines,
                                                   const MutableNumbers& out) {
  for (int64_t group = 0; group < groups; ++group) {
    const int64_t turns = group * (kRadix - 1);
    const int64_t made = group * kRadix * count;
    Combine<kRadix>({in.real + group * count, in.imaginary + group * count}, groups * count,
                    cosines + turns, sines + turns, count, {out.real + made, out.imaginary + made});
  }
}

TIDEMILL_FOR_EACH_PROCESSOR
void RunPass(int64_t radix, const Numbers& in, int64_t groups, int64_t count, const float* cosines,
             const float* sines, const MutableNumbers& out) {
  switch (radix) {
    case 2:
      return RunPass<2>(in, groups, count, cosines, sines, out);
    case 3:
      return RunPass<3>(in, groups, count, cosines, sines, out);
    case 4:
      return RunPass<4>(in, groups, count, cosines, sines, out);
    default:
      return RunPass<5>(in, groups, count, cosines, sines, out);
  }
}

}  // namespace

bool FourierTransform::Takes(int64_t size) {
  return size >= 2 && size <= kMaxSize && !RadixesOf(size).empty();
}

FourierTransform::FourierTransform(int64_t size) : size_(size) {
  TIDEMILL_CHECK(Takes(size));
  int64_t rest = size;
  for (const int64_t radix : RadixesOf(size)) {
    Pass pass{.radix = radix};
    for (int64_t group = 0; group < rest / radix; ++group) {
      for (int64_t r = 1; r < radix; ++r) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(group * r % rest) /
                             static_cast<double>(rest);
        pass.cosines.push_back(static_cast<float>(std::cos(angle)));
        pass.sines.push_back(static_cast<float>(std::sin(angle)));
      }
    }
    passes_.push_back(std::move(pass));
    rest /= radix;
  }
}

void FourierTransform::Run(float* real, float* imaginary, float* spare_real,
                           float* spare_imaginary) const {
  int64_t rest = size_;
  int64_t count = kLanes;
  MutableNumbers in{real, imaginary};
  MutableNumbers out{spare_real, spare_imaginary};
  for (const Pass& pass : passes_) {
    RunPass(pass.radix, {in.real, in.imaginary}, rest / pass.radix, count, pass.cosines.data(),
            pass.sines.data(), out);
    rest /= pass.radix;
    count *= pass.radix;
    std::swap(in, out);
  }
  if (in.real == real) return;
  std::copy_n(in.real, size_ * kLanes, real);
  std::copy_n(in.imaginary, size_ * kLanes, imaginary);
}

}  // namespace tidemill::transform
