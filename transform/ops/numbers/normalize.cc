#include "transform/ops/numbers/normalize.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "transform/engine/block_op.h"
#include "transform/engine/portable_graph.h"

namespace tidemill::transform {
namespace {

struct Affine {
  double scale = 1;
  double mean = 0;
  double deviation = 1;

  float operator()(double x) const { return static_cast<float>((x * scale - mean) / deviation); }
};

// Larger numbers have results that are all larger, or all smaller, also after rounding. The bounds
// of a range therefore stand for the numbers between them.
NumberRange MadeOf(const Affine& affine, const NumberRange& range) {
  if (!range.is_finite) return {};
  const auto first = static_cast<double>(affine(range.min));
  const auto last = static_cast<double>(affine(range.max));
  if (!std::isfinite(first) || !std::isfinite(last)) return {};
  return {std::min(first, last), std::max(first, last), true};
}

// -0 - 0 is -0, but -0 - -0 is not.
bool IsIdentity(const Affine& affine) {
  return affine.scale == 1 && affine.mean == 0 && !std::signbit(affine.mean) &&
         affine.deviation == 1;
}

// The 256 results are all that bytes need.
using Table = std::array<float, 256>;

Table TableOf(const Affine& affine) {
  Table table;
  for (int value = 0; value < 256; ++value) table[value] = affine(value);
  return table;
}

class NormalizeOp final : public BlockOp {
 public:
  NormalizeOp(const BoundColumn& input, const BoundColumn& output, std::vector<Affine> channels)
      : BlockOp({input}, {output}), channels_(std::move(channels)) {
    constexpr size_t kMaxTables = 16;
    if (input.schema.type != batch::DataType::kUInt8 || channels_.size() > kMaxTables) return;
    for (const Affine& affine : channels_) {
      tables_.push_back(TableOf(affine));
      made_is_finite_ = made_is_finite_ && !HasNonFinite<float>(tables_.back());
    }
  }

  bool InPlace() const override { return true; }

  absl::Status RunBlock(const Block& block) const override {
    const std::span<float> out = OutputOf<float>(block, 0);
    const size_t plane = channels_.size() == 1 ? out.size() : OutputWidth(0) / channels_.size();
    VisitInput(block, 0, [&](auto in) {
      size_t channel = 0;
      for (size_t begin = 0; begin < in.size(); begin += plane) {
        Apply(channel, in.subspan(begin, plane), out.subspan(begin, plane));
        channel = channel + 1 == channels_.size() ? 0 : channel + 1;
      }
    });
    if (tables_.empty() || !made_is_finite_) {
      RejectNonFinite<float>(out, outputs()[0].schema, block);
    }
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& numbers) const override {
    const ColumnSchema& schema = inputs()[0].schema;
    const NumberRange range = numbers.Of(inputs()[0]);
    OpEffect effect{.obstacle = {}, .keeps_zero = true};
    // Numbers for each row of an image without channels do not move with its pixels.
    if (channels_.size() == 1 || schema.shape.size() == 3) effect.kind = OpKind::kEachNumber;
    NumberRange made;
    bool is_idle = schema.type == batch::DataType::kFloat32 && range.is_finite;
    for (size_t i = 0; i < channels_.size(); ++i) {
      const NumberRange own = MadeOf(channels_[i], range);
      made = i == 0 ? own : made.With(own);
      effect.keeps_zero &= std::bit_cast<uint32_t>(channels_[i](0)) == 0;
      is_idle &= IsIdentity(channels_[i]);
    }
    if (!made.is_finite) {
      effect.obstacle = "which makes bad samples of numbers that are not finite then";
      made = FiniteRangeOfType(batch::DataType::kFloat32);
    }
    if (is_idle) effect.idle = "it subtracts 0 and divides by 1";
    effect.made = {made};
    return effect;
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    if (!graph.Has(inputs()[0])) return absl::OkStatus();
    // One number, or one for each channel.
    std::vector<int64_t> shape;
    if (channels_.size() > 1) {
      shape.assign(inputs()[0].schema.shape.size(), 1);
      shape[0] = std::ssize(channels_);
    }
    const auto constant = [&](std::string_view name, double Affine::*number) {
      std::vector<double> numbers;
      for (const Affine& affine : channels_) numbers.push_back(affine.*number);
      return graph.Constant(name, batch::DataType::kFloat64, shape, std::move(numbers));
    };
    StepId number = graph.Cast(graph.Get(inputs()[0]), batch::DataType::kFloat64);
    number = graph.Apply(StepKind::kMultiply, number, constant("scale", &Affine::scale));
    number = graph.Apply(StepKind::kSubtract, number, constant("mean", &Affine::mean));
    number = graph.Apply(StepKind::kDivide, number, constant("std", &Affine::deviation));
    number = graph.Cast(number, batch::DataType::kFloat32);
    graph.RejectNonFinite(number);
    graph.Set(outputs()[0], number);
    return absl::OkStatus();
  }

 private:
  template <typename T>
  void Apply(size_t channel, std::span<const T> in, std::span<float> out) const {
    if constexpr (std::is_same_v<T, uint8_t>) {
      if (!tables_.empty()) {
        const Table& table = tables_[channel];
        for (size_t i = 0; i < in.size(); ++i) out[i] = table[in[i]];
        return;
      }
    }
    const Affine affine = channels_[channel];
    MapNumbers(in, out, [affine](T value, size_t) { return affine(static_cast<double>(value)); });
  }

  const std::vector<Affine> channels_;
  std::vector<Table> tables_;   // One a channel, or none.
  bool made_is_finite_ = true;  // What is in the tables.
};

// Reports numbers that are neither none, nor one, nor one per channel.
void CheckChannels(OpBuilder& builder, std::string_view field, const std::vector<double>& values,
                   const std::vector<int64_t>& shape) {
  for (const double value : values) {
    if (!std::isfinite(value) || (field == "std" && value == 0)) {
      builder.Problem(field, fmt::format("holds {}", value),
                      "give a finite number; std must not be 0");
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

// `none` without numbers, the only number, or else the channel's.
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
  const BoundColumn output = builder.Output(
      "into",
      {.name = into.empty() ? column : into, .type = batch::DataType::kFloat32, .shape = shape});
  if (!input.has_value()) return nullptr;
  return std::make_unique<NormalizeOp>(*input, output, std::move(channels));
}

}  // namespace tidemill::transform
