#include "transform/ops/random_flip.h"

#include <cmath>

#include "config/problems.h"
#include "transform/engine/draws.h"
#include "transform/engine/portable_graph.h"
#include "transform/ops/mirror.h"

namespace tidemill::transform {
namespace {

class RandomFlipOp final : public ImageOp {
 public:
  RandomFlipOp(const ImageSize& size, double probability, FlipDirection direction,
               std::string purpose, const BoundColumn& input, const BoundColumn& output)
      : ImageOp(input, output),
        size_(size),
        probability_(probability),
        direction_(direction),
        purpose_(std::move(purpose)) {}

  absl::Status Run(std::span<const Learned> learned, Frame& frame) const override {
    if (frame.context().training) return BlockOp::Run(learned, frame);
    batch::Column same = frame.Get(inputs()[0].slot);
    same.name = outputs()[0].schema.name;
    frame.Set(outputs()[0].slot, std::move(same));
    return absl::OkStatus();
  }

  absl::Status RunBlock(const Block& block) const override {
    const auto copy = [&](const auto* in, auto* out) { std::copy(in, in + size_.Numbers(), out); };
    if (!block.frame.context().training) {
      ForEachImage(block, [&](int64_t /*row*/, const auto* in, auto* out) { copy(in, out); });
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const Draws draws, Draws::Of(block.frame, purpose_));
    ForEachImage(block, [&](int64_t row, const auto* in, auto* out) {
      const double unit = static_cast<double>(draws.Bits(row) >> 11) * 0x1p-53;
      if (unit < probability_) {
        Mirror(in, size_, direction_, out);
      } else {
        copy(in, out);
      }
    });
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& numbers) const override {
    return {.kind = OpKind::kMovesPixels, .obstacle = {}, .made = {numbers.Of(inputs()[0])}};
  }

  // Outside of training nothing is mirrored.
  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    graph.Set(outputs()[0], graph.Get(inputs()[0]));
    return absl::OkStatus();
  }

 private:
  const ImageSize size_;
  const double probability_;
  const FlipDirection direction_;
  const std::string purpose_;
};

}  // namespace

void RandomFlipSpec::Check(config::Problems& problems) const {
  if (std::isnan(probability)) problems.Add("probability", "is not a number", "");
  if (autocache) {
    problems.Add("autocache", "has no effect because the op is random", "leave it out");
  }
}

std::unique_ptr<Op> RandomFlipSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  if (!input.has_value()) {
    builder.Output("into", {.name = into.empty() ? column : into});
    return nullptr;
  }
  const ImageSize size = ImageSizeOf(builder, "column", *input);
  const BoundColumn output = ImageOutput(builder, into, *input, size.height, size.width);
  return std::make_unique<RandomFlipOp>(size, probability, direction,
                                        fmt::format("random_flip {}", builder.op_index()), *input,
                                        output);
}

}  // namespace tidemill::transform
