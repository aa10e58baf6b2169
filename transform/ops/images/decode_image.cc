#include "transform/ops/images/decode_image.h"

#include "transform/engine/block_op.h"
#include "transform/engine/images.h"
#include "transform/engine/portable_graph.h"
#include "transform/ops/images/image_decoder.h"

namespace tidemill::transform {
namespace {

// At how many eighths of its height and width an image is made.
BoundColumn AtEighths(BoundColumn column, int eighths) {
  std::vector<int64_t>& shape = column.schema.shape;
  for (const size_t side : {1, 2}) shape[side] = ReducedSide(shape[side], eighths);
  return column;
}

class DecodeImageOp final : public BlockOp {
 public:
  // `files`: the column of texts that holds them; without it, the samples themselves. `part`: the
  // pixels to make; without it, all of them.
  DecodeImageOp(const ImageShape& shape, Orientation orientation, ImageFit fit, bool reduced,
                std::optional<BoundColumn> files, const std::optional<ImagePart>& part,
                const BoundColumn& output)
      : BlockOp({}, {output}),
        shape_(shape),
        orientation_(orientation),
        fit_(fit),
        reduced_(reduced),
        files_(std::move(files)),
        part_(part.value_or(ImagePart{0, shape.height, 0, shape.width})) {}

  // The same at this many eighths.
  DecodeImageOp(const DecodeImageOp& whole, int eighths)
      : BlockOp({}, {AtEighths(whole.outputs()[0], eighths)}),
        shape_(whole.shape_),
        eighths_(eighths),
        orientation_(whole.orientation_),
        fit_(whole.fit_),
        reduced_(whole.reduced_),
        files_(whole.files_),
        part_(whole.part_) {}

  absl::Status RunBlock(const Block& block) const override {
    Frame& frame = block.frame;
    ASSIGN_OR_RETURN(const batch::Column* const files, FilesOf(frame));
    std::span<uint8_t> pixels = OutputOf<uint8_t>(block, 0);
    const int64_t size = OutputWidth(0);
    for (int64_t row = block.first_row; row < block.first_row + block.num_rows; ++row) {
      const std::span<uint8_t> image = pixels.first(size);
      pixels = pixels.subspan(size);
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

  bool reads_records() const override { return !files_; }

  OpEffect EffectOn(const KnownNumbers& /*numbers*/) const override {
    return {.may_reduce = reduced_ && fit_ == ImageFit::kExact};
  }

  std::unique_ptr<Op> Reduced(int eighths) const override {
    return std::make_unique<DecodeImageOp>(*this, eighths);
  }

  // A reduced image is small, and all of it is made.
  std::unique_ptr<Op> ForPart(const ImagePart& part) const override {
    if (fit_ != ImageFit::kExact || eighths_ != kEighths) return nullptr;
    return std::make_unique<DecodeImageOp>(shape_, orientation_, fit_, reduced_, files_, part,
                                           outputs()[0]);
  }

  // No program of tensors decodes files.
  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    const std::string meaning = eighths_ == kEighths
                                    ? "the decoded image, as [height, width, channels]"
                                    : fmt::format(
                                          "the image, decoded at {}/8 of its height and width, as "
                                          "[height, width, channels]",
                                          eighths_);
    graph.GiveImage(outputs()[0], meaning);
    return absl::OkStatus();
  }

 private:
  absl::Status Decode(std::string_view file, std::span<uint8_t> pixels) const {
    if (fit_ != ImageFit::kExact) {
      return DecodeStretched(file, shape_, orientation_, reduced_, pixels);
    }
    return eighths_ == kEighths ? DecodeImage(file, shape_, orientation_, part_, pixels)
                                : DecodeReduced(file, shape_, eighths_, orientation_, pixels);
  }

  absl::StatusOr<const batch::Column*> FilesOf(const Frame& frame) const {
    if (files_) return &frame.Get(files_->slot);
    return frame.samples().Get(batch::kPayloadColumn, batch::DataType::kBinary);
  }

  const ImageShape shape_;  // The one of whole images.
  const int eighths_ = kEighths;
  const Orientation orientation_;
  const ImageFit fit_;
  const bool reduced_;
  const std::optional<BoundColumn> files_;
  const ImagePart part_;  // All of a reduced image.
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
                                         reduced, std::move(input), std::nullopt, output);
}

}  // namespace tidemill::transform
