// decode_wav: decodes a WAV file into a column of samples.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

// The treatment of a sound of another length.
enum class SoundFit { kExact, kPad };

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::SoundFit> {
  using E = tidemill::transform::SoundFit;
  static constexpr std::pair<E, std::string_view> kNames[] = {{E::kExact, "exact"},
                                                              {E::kPad, "pad"}};
};

namespace tidemill::transform {

struct DecodeWavSpec {
  static constexpr std::string_view kType = "decode_wav";
  static constexpr std::string_view kDoc =
      "Decodes a WAV file into float32 samples of shape [channels, length]. It takes PCM samples "
      "of "
      "8, 16, 24 and 32 bits, which become numbers in [-1, 1), and floats of 32 and 64 bits, which "
      "are kept. With `channels: 1`, all channels of the file are mixed down to their mean. A file "
      "makes a bad sample if it is damaged, holds compressed samples, is not a WAV file, has "
      "another sample rate, another number of channels, or a number that is not finite.";
  static constexpr bool kIsRandom = false;
  int64_t sample_rate = 0;
  int64_t length = 0;
  int64_t channels = 1;
  std::optional<std::string> column = std::nullopt;
  SoundFit fit = SoundFit::kExact;
  std::string into = "audio";

  void Fields(auto&& field) {
    field("sample_rate", sample_rate,
          "Samples in a second that every file has. Files are not resampled.",
          config::Limits{.min = 1, .max = 1'000'000, .required = true, .example = "16000"});
    field("length", length, "Samples of each channel that every file has, or gets by `fit`.",
          config::Limits{.min = 1, .max = 1 << 28, .required = true, .example = "16000"});
    field("channels", channels,
          "1 mixes all channels of the file down to one. More: the number that every file has.",
          config::Limits{.min = 1, .max = 256});
    field("column", column,
          "Column of strings that are the files, such as parse_example makes. By default the "
          "sample is the file.",
          config::Limits{.example = "audio/encoded"});
    field("fit", fit,
          "What becomes of a file of another length. `exact`: it makes a bad sample. `pad`: a "
          "shorter one gets zeros at its end, a longer one loses its end.");
    field("into", into, "Name of the column to make.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const DecodeWavSpec&, const DecodeWavSpec&) = default;
};

}  // namespace tidemill::transform
