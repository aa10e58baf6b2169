#include "transform/ops/audio/decode_wav.h"

#include <algorithm>

#include "transform/engine/block_op.h"
#include "transform/engine/portable_graph.h"
#include "transform/engine/shapes.h"
#include "transform/ops/audio/wav_file.h"

namespace tidemill::transform {
namespace {

class DecodeWavOp final : public BlockOp {
 public:
  // `files`: the column of texts that holds them; without it, the samples themselves.
  DecodeWavOp(DecodeWavSpec spec, std::optional<BoundColumn> files, const BoundColumn& output)
      : BlockOp({}, {output}), spec_(std::move(spec)), files_(std::move(files)) {}

  absl::Status RunBlock(const Block& block) const override {
    Frame& frame = block.frame;
    ASSIGN_OR_RETURN(const batch::Column* const files, FilesOf(frame));
    const std::span<float> made = OutputOf<float>(block, 0);
    std::fill(made.begin(), made.end(), 0.0F);
    const int64_t width = OutputWidth(0);
    for (int64_t i = 0; i < block.num_rows; ++i) {
      const int64_t row = block.first_row + i;
      if (frame.IsBad(row)) continue;
      const absl::Status status = Decode(files->Bytes(row), made.data() + i * width);
      if (status.ok()) continue;
      frame.Reject(row, fmt::format("column {}: {}", outputs()[0].schema.name,
                                    std::string(status.message())));
    }
    RejectNonFinite(std::span<const float>(made), outputs()[0].schema, block);
    return absl::OkStatus();
  }

  // No program of tensors decodes files.
  bool reads_records() const override { return !files_; }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    graph.Give(outputs()[0], "the decoded samples, as [channels, length]");
    return absl::OkStatus();
  }

 private:
  absl::Status Decode(std::string_view file, float* out) const {
    ASSIGN_OR_RETURN(const WavFile wav, ReadWav(file));
    if (wav.sample_rate != spec_.sample_rate) {
      return DataLoss("the file has {} samples a second instead of {}; resample it",
                      wav.sample_rate, spec_.sample_rate);
    }
    if (spec_.fit == SoundFit::kExact && wav.length != spec_.length) {
      return DataLoss("the file is {} samples long instead of {}; cut it, or write fit: pad",
                      wav.length, spec_.length);
    }
    const int64_t length = std::min(wav.length, spec_.length);
    if (spec_.channels == 1) {
      MixDown(wav, length, out);
      return absl::OkStatus();
    }
    if (wav.channels != spec_.channels) {
      return DataLoss("the file has {} channels instead of {}; channels: 1 mixes them",
                      wav.channels, spec_.channels);
    }
    for (int64_t channel = 0; channel < spec_.channels; ++channel) {
      CopyChannel(wav, channel, length, out + channel * spec_.length);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<const batch::Column*> FilesOf(const Frame& frame) const {
    if (files_) return &frame.Get(files_->slot);
    return frame.samples().Get(batch::kPayloadColumn, batch::DataType::kBinary);
  }

  const DecodeWavSpec spec_;
  const std::optional<BoundColumn> files_;
};

}  // namespace

std::unique_ptr<Op> DecodeWavSpec::Build(OpBuilder& builder) const {
  const PayloadKind payload = builder.samples().payload;
  if (!column && payload != PayloadKind::kFile && payload != PayloadKind::kTfRecord) {
    builder.Problem("", "decode_wav needs samples that are files, or a column of files",
                    "use parse_csv or parse_record, or name a column of strings");
  }
  std::optional<BoundColumn> input;
  if (column) input = builder.Input("column", *column);
  if (input && !IsText(input->schema.type)) {
    builder.Problem("column", fmt::format("{} holds numbers", *column), "name a column of strings");
  }
  CheckShape(builder, "length", {channels, length});
  const BoundColumn output = builder.Output(
      "into", {.name = into, .type = batch::DataType::kFloat32, .shape = {channels, length}});
  return std::make_unique<DecodeWavOp>(*this, std::move(input), output);
}

}  // namespace tidemill::transform
