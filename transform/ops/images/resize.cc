#include "transform/ops/images/resize.h"

#include <cmath>
#include <memory>
#include <optional>

#include "config/documents/problems.h"
#include "transform/engine/images.h"
#include "transform/engine/portable_graph.h"
#include "transform/engine/shapes.h"
#include "transform/ops/images/resampling.h"

namespace tidemill::transform {
namespace {

// Where a pixel along one side takes its value from: two pixels and the weight of the second.
struct Source {
  int64_t first = 0;
  int64_t second = 0;
  double weight = 0;
};

std::vector<Source> SourcesOf(int64_t from, int64_t to, Interpolation method) {
  std::vector<Source> sources;
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  for (int64_t i = 0; i < to; ++i) {
    if (method == Interpolation::kNearest) {
      const int64_t at = (2 * i + 1) * from / (2 * to);
      sources.push_back({at, at, 0});
      continue;
    }
    // Pixels stand for their centres, and beyond the last centre nothing changes any more.
    const double at = std::clamp((static_cast<double>(i) + 0.5) * scale - 0.5, 0.0,
                                 static_cast<double>(from - 1));
    const auto first = static_cast<int64_t>(at);
    sources.push_back({first, std::min(first + 1, from - 1), at - static_cast<double>(first)});
  }
  return sources;
}

template <typename T>
T Blend(T a, T b, T c, T d, double x, double y) {
  // A pixel of weight 0 must not count even where it is not finite.
  const auto mix = [](double first, double second, double weight) {
    return weight == 0 ? first : first * (1 - weight) + second * weight;
  };
  const double value = mix(mix(static_cast<double>(a), static_cast<double>(b), x),
                           mix(static_cast<double>(c), static_cast<double>(d), x), y);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(std::floor(value + 0.5));
  } else {
    return static_cast<T>(value);
  }
}

// [to, from]: the part of each number in each new number along one side.
std::vector<double> PartsOf(const std::vector<Source>& sources, int64_t from) {
  std::vector<double> parts(sources.size() * static_cast<size_t>(from), 0);
  for (size_t i = 0; i < sources.size(); ++i) {
    const auto [first, second, weight] = sources[i];
    const size_t row = i * static_cast<size_t>(from);
    parts[row + static_cast<size_t>(first)] += 1 - weight;
    parts[row + static_cast<size_t>(second)] += weight;
  }
  return parts;
}

std::vector<double> Transposed(const std::vector<double>& matrix, int64_t rows, int64_t columns) {
  std::vector<double> made(matrix.size());
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      made[static_cast<size_t>(column * rows + row)] =
          matrix[static_cast<size_t>(row * columns + column)];
    }
  }
  return made;
}

class ResizeOp final : public ImageOp {
 public:
  ResizeOp(const ImageSize& from, const ImageSize& to, Interpolation method,
           const BoundColumn& input, const BoundColumn& output)
      : ImageOp(input, output),
        from_(from),
        method_(method),
        rows_(SourcesOf(from.height, to.height, method)),
        columns_(SourcesOf(from.width, to.width, method)) {}

  absl::Status RunBlock(const Block& block) const override {
    ForEachImage(block, [&](int64_t /*row*/, const auto* in, auto* out) {
      for (int64_t channel = 0; channel < from_.channels; ++channel) {
        out = RunPlane(in + channel * from_.height * from_.width, out);
      }
    });
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& numbers) const override {
    const NumberRange range = numbers.Of(inputs()[0]);
    const batch::DataType type = inputs()[0].schema.type;
    const bool is_same = inputs()[0].schema.shape == outputs()[0].schema.shape;
    NumberRange made = RangeOfType(type);
    // A number between two is rounded.
    if (range.is_finite) made = IsInteger(type) ? range : FiniteRangeOfType(type);
    return {.obstacle = {},
            .idle = is_same && range.is_finite ? "the images have this size already" : "",
            .made = {is_same ? range : made}};
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    constexpr auto kWide = batch::DataType::kFloat64;
    const auto height = std::ssize(rows_);
    const auto width = std::ssize(columns_);
    const StepId along_rows =
        graph.Constant("along_rows", kWide, {from_.width, width},
                       Transposed(PartsOf(columns_, from_.width), width, from_.width));
    const StepId along_columns = graph.Constant("along_columns", kWide, {height, from_.height},
                                                PartsOf(rows_, from_.height));
    StepId image = graph.Cast(graph.Get(inputs()[0]), kWide);
    image = graph.MatrixProduct(along_columns, graph.MatrixProduct(image, along_rows));
    const batch::DataType type = outputs()[0].schema.type;
    if (IsInteger(type)) {
      const StepId half = graph.Number(kWide, 0.5);
      image = graph.Apply(StepKind::kFloor, graph.Apply(StepKind::kAdd, image, half));
    }
    graph.Set(outputs()[0], graph.Cast(image, type));
    return absl::OkStatus();
  }

 private:
  template <typename T>
  T* RunPlane(const T* plane, T* out) const {
    for (const Source& y : rows_) {
      const T* upper = plane + y.first * from_.width;
      const T* lower = plane + y.second * from_.width;
      for (const Source& x : columns_) {
        *out++ = method_ == Interpolation::kNearest
                     ? upper[x.first]
                     : Blend(upper[x.first], upper[x.second], lower[x.first], lower[x.second],
                             x.weight, y.weight);
      }
    }
    return out;
  }

  const ImageSize from_;
  const Interpolation method_;
  const std::vector<Source> rows_;
  const std::vector<Source> columns_;
};

// The same with a filter as wide as the image is reduced.
class SmoothResizeOp final : public ImageOp {
 public:
  SmoothResizeOp(const ImageSize& from, const ImageSize& to, ResamplingFilter filter,
                 const std::optional<ImagePart>& part, const BoundColumn& input,
                 const BoundColumn& output)
      : ImageOp(input, output),
        from_(from),
        to_(to),
        filter_(filter),
        part_(part),
        resampling_(from, to, filter, part.value_or(ImagePart{0, to.height, 0, to.width})) {}

  absl::Status RunBlock(const Block& block) const override {
    const size_t between_bytes = resampling_.BetweenSize() * batch::SizeOf(inputs()[0].schema.type);
    batch::Buffer between = batch::Buffer::AllocateUnwritten(between_bytes);
    ForEachImage(block, [&]<typename T>(int64_t /*row*/, const T* in, T* out) {
      if constexpr (!std::is_same_v<T, int64_t>) {
        resampling_.Run(in, between.MutableAs<T>().data(), out);
      }
    });
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& /*numbers*/) const override {
    return {.obstacle = {}, .averages_images = true};
  }

  std::optional<ImagePart> PartRead() const override {
    if (!part_) return std::nullopt;
    return resampling_.part_read();
  }
  std::unique_ptr<Op> ForPart(const ImagePart& part) const override {
    return std::make_unique<SmoothResizeOp>(from_, to_, filter_, part, inputs()[0], outputs()[0]);
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    const bool is_byte = inputs()[0].schema.type == batch::DataType::kUInt8;
    if (!is_byte) return FailedPrecondition("with antialias, only images of bytes can be written");
    resampling_.WriteSteps(inputs()[0], outputs()[0], graph);
    return absl::OkStatus();
  }

 private:
  const ImageSize from_;
  const ImageSize to_;
  const ResamplingFilter filter_;
  const std::optional<ImagePart> part_;
  const Resampling resampling_;
};

}  // namespace

void ResizeSpec::Check(config::Problems& problems) const {
  if (antialias && method == Interpolation::kNearest) {
    problems.Add("antialias", "has no effect with nearest", "use bilinear or bicubic");
  }
  if (!antialias && method == Interpolation::kBicubic) {
    problems.Add("method", "is bicubic, which works only with antialias",
                 "write antialias: true, or use bilinear");
  }
}

std::unique_ptr<Op> ResizeSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  if (!input.has_value()) {
    builder.Output("into", {.name = into.empty() ? column : into});
    return nullptr;
  }
  const ImageSize from = ImageSizeOf(builder, "column", *input);
  CheckShape(builder, "height", {from.channels, height, width});
  if (input->schema.type == batch::DataType::kInt64) {
    builder.Problem("column", fmt::format("column {} is int64", column),
                    "cast it to uint8, int32 or a float type first");
  }
  const BoundColumn output = ImageOutput(builder, into, *input, height, width);
  const ImageSize to{from.channels, height, width};
  if (antialias) {
    const ResamplingFilter filter =
        method == Interpolation::kBicubic ? ResamplingFilter::kCubic : ResamplingFilter::kTriangle;
    return std::make_unique<SmoothResizeOp>(from, to, filter, std::nullopt, *input, output);
  }
  return std::make_unique<ResizeOp>(from, to, method, *input, output);
}

}  // namespace tidemill::transform
