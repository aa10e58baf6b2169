#include "transform/ops/random_flip.h"

#include <cmath>

#include "base/config_problems.h"
#include "transform/engine/draws.h"
#include "transform/ops/mirror.h"

namespace tidemill::transform {
namespace {

class RandomFlipOp final : public Op {
 public:
  RandomFlipOp(const ImageSize& size, double probability, FlipDirection direction,
               std::string purpose, BoundColumn input, BoundColumn output)
      : size_(size),
        probability_(probability),
        direction_(direction),
        purpose_(std::move(purpose)),
        input_(std::move(input)),
        output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    if (!frame.context().training) {
      batch::Column same = frame.Get(input_.slot);
      same.name = output_.schema.name;
      frame.Set(output_.slot, std::move(same));
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const Draws draws, Draws::Of(frame, purpose_));
    ForEachImage(input_, output_, frame, [&](int64_t row, const auto* in, auto* out) {
      const double unit = static_cast<double>(draws.Bits(row) >> 11) * 0x1p-53;
      if (unit < probability_) {
        Mirror(in, size_, direction_, out);
      } else {
        std::copy(in, in + size_.Numbers(), out);
      }
    });
    return absl::OkStatus();
  }

 private:
  const ImageSize size_;
  const double probability_;
  const FlipDirection direction_;
  const std::string purpose_;
  const BoundColumn input_;
  const BoundColumn output_;
};

}  // namespace

void RandomFlipSpec::Check(config::Problems& problems) const {
  if (std::isnan(probability)) problems.Add("probability", "is not a number", "");
  if (autocache) problems.Add("autocache", "is no use for what is random", "leave it out");
}

std::unique_ptr<Op> RandomFlipSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  if (!input.has_value()) {
    builder.Output("into", {.name = into.empty() ? column : into});
    return nullptr;
  }
  const ImageSize size = ImageSizeOf(builder, "column", *input);
  BoundColumn output = ImageOutput(builder, into, *input, size.height, size.width);
  return std::make_unique<RandomFlipOp>(size, probability, direction,
                                        fmt::format("random_flip {}", builder.op_index()), *input,
                                        std::move(output));
}

}  // namespace tidemill::transform
