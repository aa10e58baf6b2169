#include "transform/ops/audio/mel_spectrogram.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "config/documents/problems.h"
#include "transform/engine/block_op.h"
#include "transform/engine/shapes.h"
#include "transform/ops/audio/fourier.h"
#include "transform/ops/audio/spectrogram.h"

namespace tidemill::transform {
namespace {

class MelSpectrogramOp final : public BlockOp {
 public:
  MelSpectrogramOp(const MelSpectrogramSpec& spec, const MelBand& band,
                   const SpectrogramShape& shape, const BoundColumn& input,
                   const BoundColumn& output)
      : BlockOp({input}, {output}),
        length_(shape.length),
        spectrogram_(shape, spec.fft_size,
                     MelFilters(spec.mels, band, spec.scale, spec.fft_size, spec.sample_rate),
                     spec.log ? std::optional(static_cast<float>(spec.floor)) : std::nullopt) {}

  absl::Status RunBlock(const Block& block) const override {
    const std::span<float> out = OutputOf<float>(block, 0);
    std::fill(out.begin(), out.end(), 0.0F);
    Spectrogram::Memory memory = spectrogram_.NewMemory();
    std::vector<float> sound(static_cast<size_t>(length_));
    const int64_t sounds = InputWidth(0) / length_;
    const int64_t made = OutputWidth(0) / sounds;
    VisitInput(block, 0, [&](auto in) {
      for (int64_t i = 0; i < block.num_rows * sounds; ++i) {
        if (block.frame.IsBad(block.first_row + i / sounds)) continue;
        const auto from = in.begin() + i * length_;
        std::transform(from, from + length_, sound.begin(),
                       [](auto sample) { return static_cast<float>(sample); });
        spectrogram_.Run(sound, memory, out.data() + i * made);
      }
    });
    RejectNonFinite(std::span<const float>(out), outputs()[0].schema, block);
    return absl::OkStatus();
  }

 private:
  const int64_t length_;
  const Spectrogram spectrogram_;
};

// The length of the sounds of a column; 0, with a problem, when it does not hold any.
int64_t LengthOf(OpBuilder& builder, const ColumnSchema& schema) {
  if (!IsFloat(schema.type) || schema.shape.empty() || schema.shape.size() > 2) {
    builder.Problem(
        "column",
        fmt::format("column {} does not hold sounds: its rows are {} with {} dimensions",
                    schema.name, Describe(schema.type), schema.shape.size()),
        "give it floats of shape [length] or [channels, length], as decode_wav makes");
    return 0;
  }
  return schema.shape.back();
}

}  // namespace

void MelSpectrogramSpec::Check(config::Problems& problems) const {
  if (!FourierTransform::Takes(fft_size)) {
    problems.Add("fft_size", fmt::format("is {}, which has a prime factor above 5", fft_size),
                 "use a number such as 400, 512, 1024 or 2048");
  }
  const double most = static_cast<double>(sample_rate) / 2;
  if (max_frequency && *max_frequency > most) {
    problems.Add("max_frequency", fmt::format("is above {} Hz, half of the sample rate", most),
                 "leave it out");
  }
  if (!(min_frequency < max_frequency.value_or(most))) {
    problems.Add("min_frequency", "is not below the largest frequency", "leave it out");
  }
}

int64_t MelSpectrogramSpec::NumFrames(int64_t length) const {
  const int64_t mirrored = centre ? 2 * (fft_size / 2) : 0;
  return length + mirrored < fft_size ? 0 : 1 + (length + mirrored - fft_size) / hop;
}

std::unique_ptr<Op> MelSpectrogramSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  ColumnSchema schema{.name = into.empty() ? column : into};
  if (!input) {
    builder.Output("into", std::move(schema));
    return nullptr;
  }
  const int64_t length = LengthOf(builder, input->schema);
  const int64_t frames = NumFrames(length);
  if (length > 0 && (centre ? length <= fft_size / 2 : frames == 0)) {
    builder.Problem("fft_size",
                    fmt::format("is {}, but a sound has only {} samples", fft_size, length),
                    "use a smaller one, or longer sounds");
  }
  schema.shape = {mels, frames};
  if (input->schema.shape.size() == 2)
    schema.shape.insert(schema.shape.begin(), input->schema.shape[0]);
  const bool has_frames = length > 0 && frames > 0;
  const bool fits = has_frames && CheckShape(builder, "hop", schema.shape);
  const BoundColumn output = builder.Output("into", std::move(schema));
  if (!fits || !FourierTransform::Takes(fft_size)) return nullptr;
  const MelBand band{min_frequency, max_frequency.value_or(static_cast<double>(sample_rate) / 2)};
  const SpectrogramShape shape{.length = length, .hop = hop, .frames = frames, .centre = centre};
  return std::make_unique<MelSpectrogramOp>(*this, band, shape, *input, output);
}

}  // namespace tidemill::transform
