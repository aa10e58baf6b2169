#include "transform/ops/flip.h"

#include "transform/ops/mirror.h"

namespace tidemill::transform {
namespace {

class FlipOp final : public Op {
 public:
  FlipOp(const ImageSize& size, FlipDirection direction, BoundColumn input, BoundColumn output)
      : size_(size), direction_(direction), input_(std::move(input)), output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    ForEachImage(input_, output_, frame, [&](int64_t /*row*/, const auto* in, auto* out) {
      Mirror(in, size_, direction_, out);
    });
    return absl::OkStatus();
  }

 private:
  const ImageSize size_;
  const FlipDirection direction_;
  const BoundColumn input_;
  const BoundColumn output_;
};

}  // namespace

std::unique_ptr<Op> FlipSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  if (!input.has_value()) {
    builder.Output("into", {.name = into.empty() ? column : into});
    return nullptr;
  }
  const ImageSize size = ImageSizeOf(builder, "column", *input);
  BoundColumn output = ImageOutput(builder, into, *input, size.height, size.width);
  return std::make_unique<FlipOp>(size, direction, *input, std::move(output));
}

}  // namespace tidemill::transform
