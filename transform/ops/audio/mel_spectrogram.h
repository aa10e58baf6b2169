// mel_spectrogram: how loud the frequencies of a sound are, from moment to moment.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/types.h"
#include "transform/engine/op_spec.h"
#include "transform/ops/audio/mel_filters.h"

namespace tidemill::config {
class Problems;
}

template <>
struct tidemill::config::EnumNames<tidemill::transform::MelScale> {
  using E = tidemill::transform::MelScale;
  static constexpr std::pair<E, std::string_view> kNames[] = {{E::kHtk, "htk"},
                                                              {E::kSlaney, "slaney"}};
};

namespace tidemill::transform {

struct MelSpectrogramSpec {
  static constexpr std::string_view kType = "mel_spectrogram";
  static constexpr std::string_view kDoc =
      "Makes float32 images of shape [mels, frames] from sounds of shape [length], or [channels, "
      "mels, frames] from [channels, length]. Every `hop` samples, `fft_size` samples are "
      "multiplied by a window (Hann's, periodic) and become the power of frequencies, |FFT|^2. "
      "Each of the `mels` numbers of a frame is the sum of the power under a triangle on the mel "
      "scale. With `log`, it is the natural logarithm of that sum. The sums are those of "
      "torchaudio's MelSpectrogram with `scale: htk`, and of librosa's melspectrogram with `scale: "
      "slaney` and its `pad_mode=\"reflect\"`. They are computed in float32, and differ from exact "
      "ones by about a millionth of the loudest in a frame. A result that is not finite makes a "
      "bad sample.";
  static constexpr bool kIsRandom = false;
  std::string column = "audio";
  int64_t sample_rate = 0;
  int64_t fft_size = 400;
  int64_t hop = 160;
  int64_t mels = 80;
  MelScale scale = MelScale::kHtk;
  double min_frequency = 0;
  std::optional<double> max_frequency = {};
  bool centre = true;
  bool log = true;
  double floor = 1e-10;
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of sounds, float32 or float64.");
    field("sample_rate", sample_rate, "Samples in a second.",
          config::Limits{.min = 1, .max = 1'000'000, .required = true, .example = "16000"});
    field("fft_size", fft_size, "Samples in a frame. The number must have no prime factor above 5.",
          config::Limits{.min = 2, .max = 65536});
    field("hop", hop, "Samples from the beginning of a frame to that of the next.",
          config::Limits{.min = 1, .max = 1 << 28});
    field("mels", mels, "Numbers in a frame.", config::Limits{.min = 1, .max = 4096});
    field(
        "scale", scale,
        "`htk`: mel = 2595 log10(1 + f / 700), triangles of height 1. `slaney`: linear below 1000 "
        "Hz and logarithmic above, triangles of area 1.");
    field("min_frequency", min_frequency, "Where the first triangle begins, in Hz.",
          config::Limits{.min = 0});
    field("max_frequency", max_frequency,
          "Where the last triangle ends, in Hz. By default, and at most, half of the sample rate.",
          config::Limits{.min = 0, .example = "8000"});
    field("centre", centre,
          "`true`: frame i is around sample i * hop. The sound is mirrored at its ends; for an "
          "even fft_size, there are 1 + length / hop frames. `false`: frame i begins at that "
          "sample, and all "
          "frames are within the sound.");
    field("log", log, "Makes logarithms.");
    field("floor", floor, "With `log`, smaller sums count as this.",
          config::Limits{.min = 1e-30, .max = 1e30});
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  // Returns the number of frames of a sound.
  int64_t NumFrames(int64_t length) const;

  friend bool operator==(const MelSpectrogramSpec&, const MelSpectrogramSpec&) = default;
};

}  // namespace tidemill::transform
