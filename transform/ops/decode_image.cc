#include "transform/ops/decode_image.h"

#include "transform/engine/block_op.h"
#include "transform/engine/portable_graph.h"
#include "transform/ops/image_decoder.h"

namespace tidemill::transform {
namespace {

class DecodeImageOp final : public BlockOp {
 public:
  // `files`: the column of texts that holds them; without it, the samples themselves. `part`: the
  // pixels to make; without it, all of them.
  DecodeImageOp(const ImageShape& shape, Orientation orientation, ImageFit fit,
                std::optional<BoundColumn> files, const std::optional<ImagePart>& part,
                const BoundColumn& output)
      : BlockOp({}, {output}),
        shape_(shape),
        orientation_(orientation),
        fit_(fit),
        files_(std::move(files)),
        part_(part.value_or(ImagePart{0, shape.height, 0, shape.width})) {}

  absl::Status RunBlock(const Block& block) const override {
    Frame& frame = block.frame;
    ASSIGN_OR_RETURN(const batch::Column* const files, FilesOf(frame));
    std::span<uint8_t> pixels = OutputOf<uint8_t>(block, 0);
    for (int64_t row = block.first_row; row < block.first_row + block.num_rows; ++row) {
      const std::span<uint8_t> image = pixels.first(shape_.Size());
      pixels = pixels.subspan(shape_.Size());
      absl::Status status;
      if (!frame.IsBad(row)) status = Decode(files->Bytes(row), image);
      if (!status.ok()) {
        frame.Reject(row, fmt::format("column {}: {}", outputs()[0].schema.name,
                                      std::string(status.message())));
      }
      if (frame.IsBad(row)) std::fill(image.begin(), image.end(), uint8_t{0});
    }
    return absl::OkStatus();
  }

  std::unique_ptr<Op> ForPart(const ImagePart& part) const override {
    if (fit_ != ImageFit::kExact) return nullptr;
    return std::make_unique<DecodeImageOp>(shape_, orientation_, fit_, files_, part, outputs()[0]);
  }

  // No program of tensors decodes files.
  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    graph.GiveImage(outputs()[0], "the decoded image, as [height, width, channels]");
    return absl::OkStatus();
  }

 private:
  absl::Status Decode(std::string_view file, std::span<uint8_t> pixels) const {
    return fit_ == ImageFit::kExact ? DecodeImage(file, shape_, orientation_, part_, pixels)
                                    : DecodeStretched(file, shape_, orientation_, pixels);
  }

  absl::StatusOr<const batch::Column*> FilesOf(const Frame& frame) const {
    if (files_) return &frame.Get(files_->slot);
    return frame.samples().Get(batch::kPayloadColumn, batch::DataType::kBinary);
  }

  const ImageShape shape_;
  const Orientation orientation_;
  const ImageFit fit_;
  const std::optional<BoundColumn> files_;
  const ImagePart part_;
};

}  // namespace

std::unique_ptr<Op> DecodeImageSpec::Build(OpBuilder& builder) const {
  const PayloadKind payload = builder.samples().payload;
  if (!column && payload != PayloadKind::kFile && payload != PayloadKind::kTfRecord) {
    builder.Problem("", "decode_image needs samples that are files, or a column of files",
                    "use parse_csv or parse_record, or name a column of strings");
  }
  std::optional<BoundColumn> input;
  if (column) input = builder.Input("column", *column);
  if (input && !IsText(input->schema.type)) {
    builder.Problem("column", fmt::format("{} holds numbers", *column), "name a column of strings");
  }
  if (channels == 2) builder.Problem("channels", "is 2", "use 1 or 3");
  if (height > kMaxPixels / width) {
    builder.Problem("height", fmt::format("times width is more than {} pixels", kMaxPixels));
  }
  const BoundColumn output = builder.Output(
      "into", {.name = into, .type = batch::DataType::kUInt8, .shape = {channels, height, width}});
  return std::make_unique<DecodeImageOp>(ImageShape{channels, height, width}, orientation, fit,
                                         std::move(input), std::nullopt, output);
}

}  // namespace tidemill::transform
