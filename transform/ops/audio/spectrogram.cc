#include "transform/ops/audio/spectrogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/check.h"
#include "base/numbers/each_processor.h"
#include "transform/engine/logarithm.h"

namespace tidemill::transform {
namespace {

constexpr int64_t kLanes = FourierTransform::kLanes;

// Hann's, whose first number would follow after its last.
std::vector<float> HannWindow(int64_t size) {
  std::vector<float> window(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(size);
    window[static_cast<size_t>(i)] = static_cast<float>(0.5 - 0.5 * std::cos(angle));
  }
  return window;
}

// The power of frequencies [0, size / 2] of two frames a lane, from the transform of the first plus
// j times the second. Frequency k of frame f is at 2 * kLanes * k + f.
TIDEMILL_FOR_EACH_PROCESSOR
void PowerOf(const float* __restrict real, const float* __restrict imaginary, int64_t size,
             float* __restrict power) {
  for (int64_t k = 0; k <= size / 2; ++k) {
    const int64_t at = k * kLanes;
    const int64_t mirrored = (k == 0 ? 0 : size - k) * kLanes;
    float* __restrict const out = power + 2 * at;
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const float first_real = real[at + lane] + real[mirrored + lane];
      const float first_imaginary = imaginary[at + lane] - imaginary[mirrored + lane];
      const float second_real = imaginary[at + lane] + imaginary[mirrored + lane];
      const float second_imaginary = real[mirrored + lane] - real[at + lane];
      out[lane] = 0.25F * (first_real * first_real + first_imaginary * first_imaginary);
      out[kLanes + lane] =
          0.25F * (second_real * second_real + second_imaginary * second_imaginary);
    }
  }
}

TIDEMILL_FOR_EACH_PROCESSOR
void SumUnder(const float* __restrict power, const float* __restrict weights, int64_t count,
              float* __restrict sums) {
  float at_once[2 * kLanes] = {};
  for (int64_t k = 0; k < count; ++k) {
    for (int64_t i = 0; i < 2 * kLanes; ++i) at_once[i] += weights[k] * power[2 * kLanes * k + i];
  }
  for (int64_t i = 0; i < 2 * kLanes; ++i) sums[i] = at_once[i];
}

TIDEMILL_FOR_EACH_PROCESSOR
void TakeLogarithms(float floor, int64_t count, float* numbers) {
  for (int64_t i = 0; i < count; ++i) {
    // Also of what is infinite or not a number, which is put back.
    const float number = numbers[i];
    const float held = number < floor ? floor : number;
    const auto logarithm = static_cast<float>(LogarithmOf(static_cast<double>(held)));
    numbers[i] = number <= std::numeric_limits<float>::max() ? logarithm : number;
  }
}

}  // namespace

Spectrogram::Spectrogram(const SpectrogramShape& shape, int64_t fft_size,
                         std::vector<MelFilter> filters, std::optional<float> floor)
    : shape_(shape),
      transform_(fft_size),
      filters_(std::move(filters)),
      floor_(floor),
      window_(HannWindow(fft_size)) {}

Spectrogram::Memory Spectrogram::NewMemory() const {
  const int64_t size = transform_.size();
  const int64_t mirrored = shape_.centre ? 2 * (size / 2) : 0;
  return {.sound = std::vector<float>(static_cast<size_t>(shape_.length + mirrored)),
          .transform = std::vector<float>(static_cast<size_t>(4 * size * kLanes)),
          .power = std::vector<float>(static_cast<size_t>((size / 2 + 1) * kFramesAtOnce))};
}

void Spectrogram::Run(std::span<const float> sound, Memory& memory, float* out) const {
  TIDEMILL_DCHECK(std::ssize(sound) == shape_.length);
  Load(sound, memory.sound);
  for (int64_t first = 0; first < shape_.frames; first += kFramesAtOnce) {
    Transform(first, memory);
    Weigh(first, memory.power, out);
  }
  const int64_t count = std::ssize(filters_) * shape_.frames;
  if (floor_) TakeLogarithms(*floor_, count, out);
}

void Spectrogram::Load(std::span<const float> sound, std::vector<float>& padded) const {
  const int64_t margin = shape_.centre ? transform_.size() / 2 : 0;
  std::copy(sound.begin(), sound.end(), padded.begin() + margin);
  for (int64_t i = 0; i < margin; ++i) {
    padded[static_cast<size_t>(i)] = sound[static_cast<size_t>(margin - i)];
    padded[static_cast<size_t>(margin + shape_.length + i)] =
        sound[static_cast<size_t>(shape_.length - 2 - i)];
  }
}

void Spectrogram::Transform(int64_t first_frame, Memory& memory) const {
  const int64_t size = transform_.size();
  float* const real = memory.transform.data();
  float* const imaginary = real + size * kLanes;
  for (int64_t i = 0; i < kFramesAtOnce; ++i) {
    float* const to = (i < kLanes ? real : imaginary) + i % kLanes;
    const int64_t frame = first_frame + i;
    if (frame >= shape_.frames) {
      for (int64_t k = 0; k < size; ++k) to[k * kLanes] = 0;
      continue;
    }
    const float* const from = memory.sound.data() + frame * shape_.hop;
    for (int64_t k = 0; k < size; ++k) to[k * kLanes] = from[k] * window_[static_cast<size_t>(k)];
  }
  transform_.Run(real, imaginary, imaginary + size * kLanes, imaginary + 2 * size * kLanes);
  PowerOf(real, imaginary, size, memory.power.data());
}

void Spectrogram::Weigh(int64_t first_frame, const std::vector<float>& power, float* out) const {
  const int64_t count = std::min(kFramesAtOnce, shape_.frames - first_frame);
  for (size_t mel = 0; mel < filters_.size(); ++mel) {
    const MelFilter& filter = filters_[mel];
    float sums[kFramesAtOnce];
    SumUnder(power.data() + filter.first * kFramesAtOnce, filter.weights.data(),
             std::ssize(filter.weights), sums);
    std::copy_n(sums, count, out + static_cast<int64_t>(mel) * shape_.frames + first_frame);
  }
}

}  // namespace tidemill::transform
