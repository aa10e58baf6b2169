// Reads WAV files.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"

namespace tidemill::transform {

// How the samples of a WAV file are stored.
enum class WavCoding { kWhole, kFloat };

struct WavFile {
  WavCoding coding = WavCoding::kWhole;
  int bits = 16;  // A sample has 8, 16, 24 or 32; a float 32 or 64.
  int64_t channels = 1;
  int64_t sample_rate = 0;     // Per second.
  int64_t length = 0;          // Samples in each channel.
  std::string_view data = {};  // The samples; those of one moment are together.
};

// Finds the samples in a file, whose bytes must outlive the result. DATA_LOSS when the file is
// damaged, holds compressed samples, or is not a WAV file; the message names other known kinds of
// sounds. No crafted file can do more than cause this status.
absl::StatusOr<WavFile> ReadWav(std::string_view file);

// Writes the samples [0, length) of a channel as floats. Whole numbers become numbers in [-1, 1).
// `length` must be at most the file's.
void CopyChannel(const WavFile& wav, int64_t channel, int64_t length, float* out);

// Does the same with the mean of all channels.
void MixDown(const WavFile& wav, int64_t length, float* out);

}  // namespace tidemill::transform
