// The mel scale: frequencies as far apart as they sound, and triangles on it.
#pragma once

#include <cstdint>
#include <vector>

namespace tidemill::transform {

// kHtk: mel = 2595 log10(1 + f / 700), and triangles of height 1, as HTK and torchaudio have it.
// kSlaney: linear below 1000 Hz and logarithmic above, and triangles of area 1, as Slaney's
// Auditory Toolbox and librosa have it.
enum class MelScale { kHtk, kSlaney };

double MelOf(double hertz, MelScale scale);
double HertzOf(double mel, MelScale scale);

// The weights of the frequencies [first, first + weights.size()) of a transform.
struct MelFilter {
  int64_t first = 0;
  std::vector<float> weights = {};
};

// The frequencies that filters divide among them.
struct MelBand {
  double min_hertz = 0;
  double max_hertz = 0;
};

// Returns `count` triangles whose corners are equally far apart on the scale, for a transform of
// `fft_size` samples. A triangle between two frequencies of the transform has no weights.
std::vector<MelFilter> MelFilters(int64_t count, const MelBand& band, MelScale scale,
                                  int64_t fft_size, int64_t sample_rate);

}  // namespace tidemill::transform
