// The mel spectrogram of one sound.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "transform/ops/audio/fourier.h"
#include "transform/ops/audio/mel_filters.h"

namespace tidemill::transform {

struct SpectrogramShape {
  int64_t length = 0;  // Samples of a sound.
  int64_t hop = 0;
  int64_t frames = 0;
  bool centre = false;  // Whether frame i is around sample i * hop, not after it.
};

// Immutable, so thread-safe.
class Spectrogram {
 public:
  // Memory for one sound. It may be used for one after another.
  struct Memory {
    std::vector<float> sound;      // With what is mirrored at its ends.
    std::vector<float> transform;  // Two sets of complex numbers.
    std::vector<float> power;
  };

  // With `floor`, makes the logarithms of the sums; smaller sums count as `floor`.
  Spectrogram(const SpectrogramShape& shape, int64_t fft_size, std::vector<MelFilter> filters,
              std::optional<float> floor);

  Memory NewMemory() const;

  // Writes [mels, frames] numbers. Frames do not depend on other frames, except for rounding.
  void Run(std::span<const float> sound, Memory& memory, float* out) const;

 private:
  // The real and the imaginary part of a transform are two frames.
  static constexpr int64_t kFramesAtOnce = 2 * FourierTransform::kLanes;

  void Load(std::span<const float> sound, std::vector<float>& padded) const;
  void Transform(int64_t first_frame, Memory& memory) const;
  void Weigh(int64_t first_frame, const std::vector<float>& power, float* out) const;

  const SpectrogramShape shape_;
  const FourierTransform transform_;
  const std::vector<MelFilter> filters_;
  const std::optional<float> floor_;
  std::vector<float> window_;
};

}  // namespace tidemill::transform
