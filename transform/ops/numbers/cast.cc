#include "transform/ops/numbers/cast.h"

#include <cmath>
#include <limits>

#include "transform/engine/block_op.h"
#include "transform/engine/portable_graph.h"

namespace tidemill::transform {
namespace {

// Whether `value` has a counterpart in To, its fraction cut off.
template <typename To, typename From>
bool Fits(From value) {
  using Limits = std::numeric_limits<To>;
  if constexpr (std::is_floating_point_v<To>) {
    return std::isfinite(static_cast<To>(value));
  } else if constexpr (std::is_floating_point_v<From>) {
    // Powers of two, so the comparison is exact; the upper one is just above the range.
    const double end = std::ldexp(1.0, Limits::digits);
    const double begin = std::is_signed_v<To> ? -end : 0.0;
    const double whole = std::trunc(static_cast<double>(value));
    return whole >= begin && whole < end;
  } else {
    return std::in_range<To>(value);
  }
}

// Whether each number of the range has a counterpart in the type. The bounds stand for all: larger
// numbers have larger counterparts.
bool FitsType(const NumberRange& range, batch::DataType type) {
  if (!range.is_finite) return false;
  const auto fits = [&]<typename To>(To) { return Fits<To>(range.min) && Fits<To>(range.max); };
  switch (type) {
    case batch::DataType::kFloat32:
      return fits(float{});
    case batch::DataType::kFloat64:
      return true;
    case batch::DataType::kInt64:
      return fits(int64_t{});
    case batch::DataType::kInt32:
      return fits(int32_t{});
    case batch::DataType::kUInt8:
      return fits(uint8_t{});
    case batch::DataType::kBinary:
      break;
  }
  return false;
}

// The range after the cast of numbers that fit.
NumberRange Converted(const NumberRange& range, batch::DataType type) {
  if (type == batch::DataType::kFloat64) return range;
  if (IsInteger(type)) return {std::trunc(range.min), std::trunc(range.max), true};
  const auto rounded = [](double number) {
    return static_cast<double>(static_cast<float>(number));
  };
  return {rounded(range.min), rounded(range.max), true};
}

class CastOp final : public BlockOp {
 public:
  using BlockOp::BlockOp;

  bool InPlace() const override { return true; }

  absl::Status RunBlock(const Block& block) const override {
    for (size_t i = 0; i < inputs().size(); ++i) {
      switch (outputs()[i].schema.type) {
        case batch::DataType::kFloat32:
          RunColumn<float>(i, block);
          break;
        case batch::DataType::kFloat64:
          RunColumn<double>(i, block);
          break;
        case batch::DataType::kInt64:
          RunColumn<int64_t>(i, block);
          break;
        case batch::DataType::kInt32:
          RunColumn<int32_t>(i, block);
          break;
        case batch::DataType::kUInt8:
          RunColumn<uint8_t>(i, block);
          break;
        case batch::DataType::kBinary:
          break;
      }
    }
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& numbers) const override {
    OpEffect effect{.kind = OpKind::kEachNumber, .obstacle = {}, .keeps_zero = true};
    bool is_idle = true;
    for (size_t i = 0; i < inputs().size(); ++i) {
      const batch::DataType from = inputs()[i].schema.type;
      const batch::DataType to = outputs()[i].schema.type;
      const NumberRange range = numbers.Of(inputs()[i]);
      const bool fits = (from == to && IsInteger(to)) || FitsType(range, to);
      if (!fits) effect.obstacle = "which makes bad samples of numbers that do not fit";
      is_idle &= fits && from == to;
      effect.made.push_back(fits ? Converted(range, to) : FiniteRangeOfType(to));
    }
    if (is_idle) effect.idle = "the numbers are of this type already";
    return effect;
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    for (size_t i = 0; i < inputs().size(); ++i) {
      if (graph.Has(inputs()[i])) WriteColumn(inputs()[i], outputs()[i], graph);
    }
    return absl::OkStatus();
  }

 private:
  static void WriteColumn(const BoundColumn& input, const BoundColumn& output,
                          PortableGraph& graph) {
    const batch::DataType type = output.schema.type;
    const StepId from = graph.Get(input);
    const StepId made = graph.Cast(from, type);
    graph.Set(output, made);
    if (IsFloat(type)) return graph.RejectNonFinite(made);
    const bool from_float = IsFloat(input.schema.type);
    if (!from_float && (type == batch::DataType::kInt64 || type == input.schema.type)) return;
    // The range of the type, in numbers that hold its bounds.
    const double end = type == batch::DataType::kUInt8   ? 0x1p8
                       : type == batch::DataType::kInt32 ? 0x1p31
                                                         : 0x1p63;
    const double begin = type == batch::DataType::kUInt8 ? 0 : -end;
    const batch::DataType wide = from_float ? batch::DataType::kFloat64 : batch::DataType::kInt64;
    const StepId number = graph.Cast(from, wide);
    // Fractions are cut off: -0.5 becomes 0. The bound of int64 has no fraction.
    const bool is_cut = from_float && type != batch::DataType::kInt64;
    const StepId low = graph.Number(wide, is_cut ? begin - 1 : begin);
    const StepId above = is_cut ? graph.Apply(StepKind::kLess, low, number)
                                : graph.Apply(StepKind::kGreaterOrEqual, number, low);
    const StepId below = graph.Apply(StepKind::kLess, number, graph.Number(wide, end));
    graph.Reject(graph.Apply(StepKind::kNot, above));
    graph.Reject(graph.Apply(StepKind::kNot, below));
  }

  template <typename To>
  void RunColumn(size_t column, const Block& block) const {
    VisitInput(block, column,
               [&](auto in) { Convert(column, in, OutputOf<To>(block, column), block); });
  }

  template <typename From, typename To>
  void Convert(size_t column, std::span<const From> in, std::span<To> out,
               const Block& block) const {
    if constexpr (std::is_floating_point_v<To>) {
      // Numbers that do not fit become infinite, and are looked for only when there are any.
      MapNumbers(in, out, [](From value, size_t) { return static_cast<To>(value); });
      if (!HasNonFinite(std::span<const To>(out))) return;
    }
    for (size_t i = 0; i < in.size(); ++i) {
      const From value = in[i];
      const bool fits = Fits<To>(value);
      out[i] = fits ? static_cast<To>(value) : To{0};
      if (fits) continue;
      block.frame.Reject(
          block.first_row + static_cast<int64_t>(i) / OutputWidth(column),
          fmt::format("column {}: {} does not fit into {}", outputs()[column].schema.name, value,
                      batch::NameOf(TypeOf<To>())));
    }
  }
};

}  // namespace

batch::DataType ColumnType(CastType type) {
  switch (type) {
    case CastType::kFloat32:
      return batch::DataType::kFloat32;
    case CastType::kFloat64:
      return batch::DataType::kFloat64;
    case CastType::kInt64:
      return batch::DataType::kInt64;
    case CastType::kInt32:
      return batch::DataType::kInt32;
    case CastType::kUInt8:
      return batch::DataType::kUInt8;
  }
  return batch::DataType::kFloat32;
}

std::unique_ptr<Op> CastSpec::Build(OpBuilder& builder) const {
  std::vector<BoundColumn> inputs = builder.Inputs("columns", columns, Accepts::kNumbers);
  std::vector<BoundColumn> outputs;
  for (const BoundColumn& input : inputs) {
    ColumnSchema schema = input.schema;
    schema.type = ColumnType(dtype);
    outputs.push_back(builder.Output("columns", std::move(schema)));
  }
  return std::make_unique<CastOp>(std::move(inputs), std::move(outputs));
}

}  // namespace tidemill::transform
