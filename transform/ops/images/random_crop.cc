#include "transform/ops/images/random_crop.h"

#include "config/documents/problems.h"
#include "transform/engine/draws.h"
#include "transform/engine/images.h"
#include "transform/engine/portable_graph.h"

namespace tidemill::transform {
namespace {

class RandomCropOp final : public ImageOp {
 public:
  RandomCropOp(const ImageSize& from, const ImageSize& to, int64_t padding, std::string purpose,
               const BoundColumn& input, const BoundColumn& output)
      : ImageOp(input, output),
        from_(from),
        to_(to),
        padding_(padding),
        purpose_(std::move(purpose)) {}

  absl::Status RunBlock(const Block& block) const override {
    const int64_t spare_height = from_.height + 2 * padding_ - to_.height;
    const int64_t spare_width = from_.width + 2 * padding_ - to_.width;
    if (!block.frame.context().training) {
      Crop(block, [&](int64_t /*row*/) { return Place{spare_height / 2, spare_width / 2}; });
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const Draws draws, Draws::Of(block.frame, purpose_));
    Crop(block, [&](int64_t row) {
      const uint64_t bits = draws.Bits(row);
      return Place{Draws::Below(spare_height + 1, static_cast<uint32_t>(bits >> 32)),
                   Draws::Below(spare_width + 1, static_cast<uint32_t>(bits))};
    });
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& numbers) const override {
    NumberRange made = numbers.Of(inputs()[0]);
    if (padding_ > 0) made = made.With({0, 0, true});
    return {
        .kind = OpKind::kMovesPixels, .obstacle = {}, .adds_zeros = padding_ > 0, .made = {made}};
  }

  // Outside of training the part is in the middle.
  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    const std::vector<int64_t>& shape = inputs()[0].schema.shape;
    const int64_t rows = std::ssize(shape) - 2;
    StepId image = graph.Get(inputs()[0]);
    if (padding_ > 0) {
      std::vector<int64_t> frame(shape.size(), padding_);
      if (rows > 0) frame[0] = 0;
      image = graph.Pad(image, frame, frame, 0);
    }
    const int64_t top = (from_.height + 2 * padding_ - to_.height) / 2;
    const int64_t left = (from_.width + 2 * padding_ - to_.width) / 2;
    image = graph.Slice(image, rows, top, top + to_.height);
    graph.Set(outputs()[0], graph.Slice(image, rows + 1, left, left + to_.width));
    return absl::OkStatus();
  }

 private:
  // In the padded image.
  struct Place {
    int64_t top;
    int64_t left;
  };

  template <typename PlaceOf>
  void Crop(const Block& block, PlaceOf place_of) const {
    ForEachImage(block, [&](int64_t row, const auto* in, auto* out) {
      const Place place = place_of(row);
      CopyPart(in, from_, place.top - padding_, place.left - padding_, to_, out);
    });
  }

  const ImageSize from_;
  const ImageSize to_;
  const int64_t padding_;
  const std::string purpose_;
};

}  // namespace

std::unique_ptr<Op> RandomCropSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  if (!input.has_value()) {
    builder.Output("into", {.name = into.empty() ? column : into});
    return nullptr;
  }
  const ImageSize from = ImageSizeOf(builder, "column", *input);
  if (height > from.height + 2 * padding) {
    builder.Problem("height",
                    fmt::format("goes beyond the images, which are {} pixels high with padding",
                                from.height + 2 * padding));
  }
  if (width > from.width + 2 * padding) {
    builder.Problem("width",
                    fmt::format("goes beyond the images, which are {} pixels wide with padding",
                                from.width + 2 * padding));
  }
  const BoundColumn output = ImageOutput(builder, into, *input, height, width);
  return std::make_unique<RandomCropOp>(from, ImageSize{from.channels, height, width}, padding,
                                        fmt::format("random_crop {}", builder.op_index()), *input,
                                        output);
}

}  // namespace tidemill::transform
