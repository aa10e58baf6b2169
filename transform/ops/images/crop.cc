#include "transform/ops/images/crop.h"

#include "config/documents/problems.h"
#include "transform/engine/images.h"
#include "transform/engine/portable_graph.h"

namespace tidemill::transform {
namespace {

class CropOp final : public ImageOp {
 public:
  CropOp(const ImageSize& from, const ImageSize& to, int64_t top, int64_t left,
         const BoundColumn& input, const BoundColumn& output)
      : ImageOp(input, output), from_(from), to_(to), top_(top), left_(left) {}

  absl::Status RunBlock(const Block& block) const override {
    ForEachImage(block, [&](int64_t /*row*/, const auto* in, auto* out) {
      CopyPart(in, from_, top_, left_, to_, out);
    });
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& numbers) const override {
    const bool is_whole = from_.height == to_.height && from_.width == to_.width;
    return {.kind = OpKind::kMovesPixels,
            .obstacle = {},
            .idle = is_whole ? "the images have this size already" : "",
            .made = {numbers.Of(inputs()[0])}};
  }

  std::optional<ImagePart> PartRead() const override {
    return ImagePart{top_, top_ + to_.height, left_, left_ + to_.width};
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    const int64_t rows = std::ssize(inputs()[0].schema.shape) - 2;
    const StepId high = graph.Slice(graph.Get(inputs()[0]), rows, top_, top_ + to_.height);
    graph.Set(outputs()[0], graph.Slice(high, rows + 1, left_, left_ + to_.width));
    return absl::OkStatus();
  }

 private:
  const ImageSize from_;
  const ImageSize to_;
  const int64_t top_;
  const int64_t left_;
};

}  // namespace

void CropSpec::Check(config::Problems& problems) const {
  if (!offset.empty() && offset.size() != 2) {
    problems.Add("offset", "does not hold two numbers", "write [top, left]");
  }
}

std::unique_ptr<Op> CropSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  if (!input.has_value()) {
    builder.Output("into", {.name = into.empty() ? column : into});
    return nullptr;
  }
  const ImageSize from = ImageSizeOf(builder, "column", *input);
  const bool centred = offset.size() != 2;
  const int64_t top = centred ? (from.height - height) / 2 : offset[0];
  const int64_t left = centred ? (from.width - width) / 2 : offset[1];
  if (top < 0 || top + height > from.height) {
    builder.Problem("height",
                    fmt::format("goes beyond the images, which are {} pixels high", from.height),
                    "pad the images first, or cut out less");
  }
  if (left < 0 || left + width > from.width) {
    builder.Problem("width",
                    fmt::format("goes beyond the images, which are {} pixels wide", from.width),
                    "pad the images first, or cut out less");
  }
  const BoundColumn output = ImageOutput(builder, into, *input, height, width);
  return std::make_unique<CropOp>(from, ImageSize{from.channels, height, width}, top, left, *input,
                                  output);
}

}  // namespace tidemill::transform
