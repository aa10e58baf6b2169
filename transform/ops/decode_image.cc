#include "transform/ops/decode_image.h"

#include "transform/engine/numbers.h"
#include "transform/ops/image_decoder.h"

namespace tidemill::transform {
namespace {

class DecodeImageOp final : public Op {
 public:
  DecodeImageOp(const ImageShape& shape, std::optional<BoundColumn> input, BoundColumn output)
      : shape_(shape), input_(std::move(input)), output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    ASSIGN_OR_RETURN(const batch::Column* const files, FilesOf(frame));
    batch::Column images =
        NewColumn<uint8_t>(output_.schema.name, frame.num_rows(), output_.schema.shape);
    const std::span<uint8_t> pixels = images.data.MutableAs<uint8_t>();
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      if (frame.IsBad(row)) continue;
      const absl::Status status = DecodeImage(files->Bytes(row), shape_,
                                              pixels.subspan(row * shape_.Size(), shape_.Size()));
      if (!status.ok()) {
        frame.Reject(
            row, fmt::format("column {}: {}", output_.schema.name, std::string(status.message())));
      }
    }
    frame.Set(output_.slot, std::move(images));
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<const batch::Column*> FilesOf(const Frame& frame) const {
    if (input_) return &frame.Get(input_->slot);
    return frame.samples().Get(batch::kPayloadColumn, batch::DataType::kBinary);
  }

  const ImageShape shape_;
  const std::optional<BoundColumn> input_;
  const BoundColumn output_;
};

}  // namespace

std::unique_ptr<Op> DecodeImageSpec::Build(OpBuilder& builder) const {
  const PayloadKind payload = builder.samples().payload;
  if (!column && payload != PayloadKind::kFile && payload != PayloadKind::kTfRecord) {
    builder.Problem("", "decode_image needs samples that are files, or a column of them",
                    "use parse_csv or parse_record, or name a column of strings");
  }
  std::optional<BoundColumn> input;
  if (column) input = builder.Input("column", *column);
  if (input && !IsText(input->schema.type)) {
    builder.Problem("column", fmt::format("{} holds numbers", *column), "name one of strings");
  }
  if (channels == 2) builder.Problem("channels", "is 2", "use 1 or 3");
  if (height > kMaxPixels / width) {
    builder.Problem("height", fmt::format("times width is more than {} pixels", kMaxPixels));
  }
  BoundColumn output = builder.Output(
      "into", {.name = into, .type = batch::DataType::kUInt8, .shape = {channels, height, width}});
  return std::make_unique<DecodeImageOp>(ImageShape{channels, height, width}, std::move(input),
                                         std::move(output));
}

}  // namespace tidemill::transform
