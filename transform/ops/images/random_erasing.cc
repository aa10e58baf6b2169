#include "transform/ops/images/random_erasing.h"

#include <cmath>

#include "config/documents/problems.h"
#include "transform/engine/augmenting_op.h"

namespace tidemill::transform {
namespace {

constexpr int kMaxTries = 10;

struct Rectangle {
  int64_t top = 0;
  int64_t left = 0;
  int64_t height = 0;
  int64_t width = 0;
};

class RandomErasingOp final : public AugmentingOp {
 public:
  RandomErasingOp(const RandomErasingSpec& spec, int op_index, const ImageSize& size,
                  const BoundColumn& input, const BoundColumn& output)
      : AugmentingOp(RandomErasingSpec::kType, op_index, size, input, output),
        spec_(spec),
        min_log_aspect_(std::log(spec.min_aspect)),
        max_log_aspect_(std::log(spec.max_aspect)) {}

  absl::Status RunBlock(const Block& block) const override {
    return ChangeImages(block, [&]<typename T>(uint64_t bits, const T* in, T* out) {
      std::copy(in, in + size().Numbers(), out);
      const Rectangle part = Draw(SampleDraws(bits));
      for (int64_t channel = 0; channel < size().channels; ++channel) {
        for (int64_t y = part.top; y < part.top + part.height; ++y) {
          T* const row = out + (channel * size().height + y) * size().width + part.left;
          std::fill(row, row + part.width, static_cast<T>(spec_.value));
        }
      }
    });
  }

 private:
  // Returns an empty rectangle for an image that stays unchanged.
  Rectangle Draw(SampleDraws draws) const {
    if (draws.Between(0, 1) >= spec_.probability) return {};
    const auto pixels = static_cast<double>(size().height * size().width);
    for (int i = 0; i < kMaxTries; ++i) {
      const double area = pixels * draws.Between(spec_.min_area, spec_.max_area);
      const double aspect = std::exp(draws.Between(min_log_aspect_, max_log_aspect_));
      const int64_t height = std::lrint(std::sqrt(area * aspect));
      const int64_t width = std::lrint(std::sqrt(area / aspect));
      if (height >= size().height || width >= size().width) continue;
      const int64_t top = draws.Below(size().height - height + 1);
      return {top, draws.Below(size().width - width + 1), height, width};
    }
    return {};
  }

  const RandomErasingSpec spec_;
  const double min_log_aspect_;
  const double max_log_aspect_;
};

}  // namespace

void RandomErasingSpec::Check(config::Problems& problems) const {
  for (const auto& [field, number] :
       {std::pair("probability", probability), std::pair("min_area", min_area),
        std::pair("max_area", max_area), std::pair("min_aspect", min_aspect),
        std::pair("max_aspect", max_aspect)}) {
    if (std::isnan(number)) problems.Add(field, "is not a number", "");
  }
  if (min_area > max_area) problems.Add("min_area", "is greater than max_area", "");
  if (min_aspect > max_aspect) problems.Add("min_aspect", "is greater than max_aspect", "");
  if (!std::isfinite(value)) problems.Add("value", "is not finite", "");
}

std::unique_ptr<Op> RandomErasingSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  if (!input.has_value()) {
    builder.Output("into", {.name = into.empty() ? column : into});
    return nullptr;
  }
  const ImageSize size = ImageSizeOf(builder, "column", *input);
  if (!Holds(input->schema.type, value)) {
    builder.Problem("value", fmt::format("is {}, but column {} holds {}", value, column,
                                         Describe(input->schema.type)));
  }
  const BoundColumn output = ImageOutput(builder, into, *input, size.height, size.width);
  return std::make_unique<RandomErasingOp>(*this, builder.op_index(), size, *input, output);
}

}  // namespace tidemill::transform
