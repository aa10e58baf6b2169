#include "transform/ops/decode_image.h"

#include "transform/engine/numbers.h"
#include "transform/ops/image_decoder.h"

namespace tidemill::transform {
namespace {

class DecodeImageOp final : public Op {
 public:
  DecodeImageOp(const ImageShape& shape, BoundColumn output)
      : shape_(shape), output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    ASSIGN_OR_RETURN(const batch::Column* payload,
                     frame.samples().Get(batch::kPayloadColumn, batch::DataType::kBinary));
    batch::Column images =
        NewColumn<uint8_t>(output_.schema.name, frame.num_rows(), output_.schema.shape);
    const std::span<uint8_t> pixels = images.data.MutableAs<uint8_t>();
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      if (frame.IsBad(row)) continue;
      const absl::Status status = DecodeImage(payload->Bytes(row), shape_,
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
  const ImageShape shape_;
  const BoundColumn output_;
};

}  // namespace

std::unique_ptr<Op> DecodeImageSpec::Build(OpBuilder& builder) const {
  if (builder.samples().payload != PayloadKind::kFile) {
    builder.Problem("", "decode_image needs a dataset with one file per sample",
                    "use parse_csv or parse_record");
  }
  if (channels == 2) builder.Problem("channels", "is 2", "use 1 or 3");
  if (height > kMaxPixels / width) {
    builder.Problem("height", fmt::format("times width is more than {} pixels", kMaxPixels));
  }
  BoundColumn output = builder.Output(
      "into", {.name = into, .type = batch::DataType::kUInt8, .shape = {channels, height, width}});
  return std::make_unique<DecodeImageOp>(ImageShape{channels, height, width}, std::move(output));
}

}  // namespace tidemill::transform
