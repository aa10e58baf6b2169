#include "transform/ops/normalize.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "transform/engine/numbers.h"

namespace tidemill::transform {
namespace {

struct Affine {
  double scale = 1;
  double mean = 0;
  double deviation = 1;

  float operator()(double x) const { return static_cast<float>((x * scale - mean) / deviation); }
};

// 256 results are all that bytes need.
void Apply(const Affine& affine, std::span<const uint8_t> in, float* out) {
  std::array<float, 256> table;
  for (int value = 0; value < 256; ++value) table[value] = affine(value);
  for (size_t i = 0; i < in.size(); ++i) out[i] = table[in[i]];
}

template <typename T>
void Apply(const Affine& affine, std::span<const T> in, float* out) {
  for (size_t i = 0; i < in.size(); ++i) out[i] = affine(static_cast<double>(in[i]));
}

class NormalizeOp final : public Op {
 public:
  NormalizeOp(BoundColumn input, BoundColumn output, std::vector<Affine> channels)
      : input_(std::move(input)), output_(std::move(output)), channels_(std::move(channels)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    batch::Column column =
        NewColumn<float>(output_.schema.name, frame.num_rows(), output_.schema.shape);
    float* out = column.data.MutableAs<float>().data();
    VisitNumbers(frame.Get(input_.slot), [&](auto in) {
      if (channels_.size() == 1) return Apply(channels_[0], in, out);
      ApplyByChannel(in, out);
    });
    RejectNonFinite<float>(column, frame);
    frame.Set(output_.slot, std::move(column));
    return absl::OkStatus();
  }

 private:
  // A table per channel and image would cost more than it saves, so bytes are computed as well.
  template <typename T>
  void ApplyByChannel(std::span<const T> in, float* out) const {
    const size_t plane = output_.schema.Width() / channels_.size();
    for (size_t begin = 0; begin < in.size(); begin += plane) {
      const Affine& affine = channels_[begin / plane % channels_.size()];
      for (size_t i = begin; i < begin + plane; ++i) out[i] = affine(static_cast<double>(in[i]));
    }
  }

  const BoundColumn input_;
  const BoundColumn output_;
  const std::vector<Affine> channels_;
};

// Reports numbers that are neither none, nor one, nor one per channel.
void CheckChannels(OpBuilder& builder, std::string_view field, const std::vector<double>& values,
                   const std::vector<int64_t>& shape) {
  for (const double value : values) {
    if (!std::isfinite(value) || (field == "std" && value == 0)) {
      builder.Problem(field, fmt::format("holds {}", value), "give a finite number, for std not 0");
    }
  }
  if (values.size() <= 1) return;
  const int64_t num_channels = shape.empty() ? 1 : shape.front();
  if (static_cast<int64_t>(values.size()) != num_channels) {
    builder.Problem(
        field,
        fmt::format("has {} numbers for a column of {} channels", values.size(), num_channels),
        "give one number, or one per channel");
  }
}

// Of no numbers `none`, of one that one, else the channel's.
double ForChannel(const std::vector<double>& values, size_t channel, double none) {
  if (values.empty()) return none;
  return values[std::min(channel, values.size() - 1)];
}

}  // namespace

std::unique_ptr<Op> NormalizeSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  std::vector<int64_t> shape;
  if (input.has_value()) {
    shape = input->schema.shape;
    if (IsText(input->schema.type)) {
      builder.Problem("column", fmt::format("column {} holds text", column),
                      "turn it into numbers with one_hot or hash_buckets first");
    }
    CheckChannels(builder, "mean", mean, shape);
    CheckChannels(builder, "std", deviation, shape);
  }
  if (!std::isfinite(scale)) builder.Problem("scale", "is not a finite number");
  std::vector<Affine> channels(std::max<size_t>({1, mean.size(), deviation.size()}));
  for (size_t i = 0; i < channels.size(); ++i) {
    channels[i] = {scale, ForChannel(mean, i, 0), ForChannel(deviation, i, 1)};
  }
  BoundColumn output = builder.Output(
      "into",
      {.name = into.empty() ? column : into, .type = batch::DataType::kFloat32, .shape = shape});
  if (!input.has_value()) return nullptr;
  return std::make_unique<NormalizeOp>(*input, std::move(output), std::move(channels));
}

}  // namespace tidemill::transform
