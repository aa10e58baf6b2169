#include "transform/ops/images/colour_jitter.h"

#include <cmath>

#include "config/documents/problems.h"
#include "transform/engine/augmenting_op.h"
#include "transform/ops/images/colours.h"

namespace tidemill::transform {
namespace {

constexpr double kWhiteByte = 255;

class ColourJitterOp final : public AugmentingOp {
 public:
  ColourJitterOp(const ColourJitterSpec& spec, double white, int op_index, const ImageSize& size,
                 const BoundColumn& input, const BoundColumn& output)
      : AugmentingOp(ColourJitterSpec::kType, op_index, size, input, output),
        brightness_(spec.brightness),
        contrast_(spec.contrast),
        saturation_(spec.saturation),
        hue_(spec.hue),
        white_(white) {}

  absl::Status RunBlock(const Block& block) const override {
    return ChangeImages(block, [&](uint64_t bits, const auto* in, auto* out) {
      std::copy(in, in + size().Numbers(), out);
      Change(SampleDraws(bits), std::span(out, static_cast<size_t>(size().Numbers())));
    });
  }

 private:
  // Draws all four numbers, so that none depends on the settings of the others.
  template <typename T>
  void Change(SampleDraws draws, std::span<T> image) const {
    const double brightness = draws.Between(1 - brightness_, 1 + brightness_);
    const double contrast = draws.Between(1 - contrast_, 1 + contrast_);
    const double saturation = draws.Between(1 - saturation_, 1 + saturation_);
    const double hue = draws.Between(-hue_, hue_);
    if (brightness_ > 0) ChangeBrightness(brightness, white_, image);
    if (contrast_ > 0) ChangeContrast(contrast, white_, size(), image);
    if (saturation_ > 0) ChangeSaturation(saturation, white_, size(), image);
    if (hue_ > 0) ChangeHue(hue, white_, size(), image);
  }

  const double brightness_;
  const double contrast_;
  const double saturation_;
  const double hue_;
  const double white_;
};

// Reports images whose colours the op does not know.
void CheckColours(OpBuilder& builder, const ImageSize& size, const BoundColumn& column,
                  const std::optional<double>& white) {
  const ColumnSchema& schema = column.schema;
  if (size.channels != 1 && size.channels != 3) {
    builder.Problem(
        "column", fmt::format("column {} has {} channels, not 1 or 3", schema.name, size.channels),
        "give it images in grey, or of red, green and blue");
  }
  if (IsFloat(schema.type)) {
    if (white.has_value()) return;
    builder.Problem("white",
                    fmt::format("is missing: column {} is {}, which does not say how bright white "
                                "is",
                                schema.name, Describe(schema.type)),
                    "write white: 1 or white: 255, or put the op before normalize");
  } else if (schema.type != batch::DataType::kUInt8) {
    builder.Problem(
        "column",
        fmt::format("column {} is {}, not uint8 or floats", schema.name, Describe(schema.type)),
        "cast it to float32");
  } else if (white.has_value() && *white != kWhiteByte) {
    builder.Problem("white", fmt::format("is {}, but in uint8 white is 255", *white),
                    "leave it out");
  }
}

}  // namespace

void ColourJitterSpec::Check(config::Problems& problems) const {
  for (const auto& [field, range] :
       {std::pair("brightness", brightness), std::pair("contrast", contrast),
        std::pair("saturation", saturation), std::pair("hue", hue)}) {
    if (std::isnan(range)) problems.Add(field, "is not a number", "");
  }
  if (brightness == 0 && contrast == 0 && saturation == 0 && hue == 0) {
    problems.Add("", "changes nothing", "give brightness, contrast, saturation or hue");
  }
  if (white.has_value() && (!std::isfinite(*white) || *white <= 0)) {
    problems.Add("white", "is not a finite number above 0", "write 1 or 255");
  }
}

std::unique_ptr<Op> ColourJitterSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  if (!input.has_value()) {
    builder.Output("into", {.name = into.empty() ? column : into});
    return nullptr;
  }
  const size_t num_problems = builder.problems().size();
  const ImageSize size = ImageSizeOf(builder, "column", *input);
  if (builder.problems().size() == num_problems) CheckColours(builder, size, *input, white);
  const BoundColumn output = ImageOutput(builder, into, *input, size.height, size.width);
  return std::make_unique<ColourJitterOp>(*this, white.value_or(kWhiteByte), builder.op_index(),
                                          size, *input, output);
}

}  // namespace tidemill::transform
