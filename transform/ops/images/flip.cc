#include "transform/ops/images/flip.h"

#include "transform/engine/portable_graph.h"
#include "transform/ops/images/mirror.h"

namespace tidemill::transform {
namespace {

class FlipOp final : public ImageOp {
 public:
  FlipOp(const ImageSize& size, FlipDirection direction, const BoundColumn& input,
         const BoundColumn& output)
      : ImageOp(input, output), size_(size), direction_(direction) {}

  absl::Status RunBlock(const Block& block) const override {
    ForEachImage(block, [&](int64_t /*row*/, const auto* in, auto* out) {
      Mirror(in, size_, direction_, out);
    });
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& numbers) const override {
    return {.kind = OpKind::kMovesPixels, .obstacle = {}, .made = {numbers.Of(inputs()[0])}};
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    const int64_t columns = std::ssize(inputs()[0].schema.shape) - 1;
    const bool is_horizontal = direction_ == FlipDirection::kHorizontal;
    graph.Set(outputs()[0],
              graph.Reverse(graph.Get(inputs()[0]), is_horizontal ? columns : columns - 1));
    return absl::OkStatus();
  }

 private:
  const ImageSize size_;
  const FlipDirection direction_;
};

}  // namespace

std::unique_ptr<Op> FlipSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  if (!input.has_value()) {
    builder.Output("into", {.name = into.empty() ? column : into});
    return nullptr;
  }
  const ImageSize size = ImageSizeOf(builder, "column", *input);
  const BoundColumn output = ImageOutput(builder, into, *input, size.height, size.width);
  return std::make_unique<FlipOp>(size, direction, *input, output);
}

}  // namespace tidemill::transform
