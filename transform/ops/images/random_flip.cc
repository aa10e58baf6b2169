#include "transform/ops/images/random_flip.h"

#include <cmath>

#include "config/documents/problems.h"
#include "transform/engine/augmenting_op.h"
#include "transform/ops/images/mirror.h"

namespace tidemill::transform {
namespace {

class RandomFlipOp final : public AugmentingOp {
 public:
  RandomFlipOp(const RandomFlipSpec& spec, int op_index, const ImageSize& size,
               const BoundColumn& input, const BoundColumn& output)
      : AugmentingOp(RandomFlipSpec::kType, op_index, size, input, output),
        probability_(spec.probability),
        direction_(spec.direction) {}

  absl::Status RunBlock(const Block& block) const override {
    return ChangeImages(block, [&](uint64_t bits, const auto* in, auto* out) {
      const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
      if (unit < probability_) {
        Mirror(in, size(), direction_, out);
      } else {
        std::copy(in, in + size().Numbers(), out);
      }
    });
  }

  OpEffect EffectOn(const KnownNumbers& numbers) const override {
    return {.kind = OpKind::kMovesPixels, .obstacle = {}, .made = {numbers.Of(inputs()[0])}};
  }

 private:
  const double probability_;
  const FlipDirection direction_;
};

}  // namespace

void RandomFlipSpec::Check(config::Problems& problems) const {
  if (std::isnan(probability)) problems.Add("probability", "is not a number", "");
}

std::unique_ptr<Op> RandomFlipSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  if (!input.has_value()) {
    builder.Output("into", {.name = into.empty() ? column : into});
    return nullptr;
  }
  const ImageSize size = ImageSizeOf(builder, "column", *input);
  const BoundColumn output = ImageOutput(builder, into, *input, size.height, size.width);
  return std::make_unique<RandomFlipOp>(*this, builder.op_index(), size, *input, output);
}

}  // namespace tidemill::transform
