#include "transform/ops/numbers/clip.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "config/documents/problems.h"
#include "transform/engine/block_op.h"
#include "transform/engine/portable_graph.h"

namespace tidemill::transform {
namespace {

// The bounds as numbers of type T: a number is below the least number of T that is not below `min`
// exactly if it is below `min`, and so above. Without a bound all numbers pass.
template <typename T>
struct Bounds {
  T below;  // What is less becomes `min`.
  T above;
  T min;
  T max;

  T operator()(T value, size_t) const { return value < below ? min : value > above ? max : value; }
};

template <typename T>
Bounds<T> BoundsOf(const std::optional<double>& min, const std::optional<double>& max) {
  using Limits = std::numeric_limits<T>;
  Bounds<T> bounds{Limits::lowest(), Limits::max(), Limits::lowest(), Limits::max()};
  if constexpr (std::is_floating_point_v<T>) {
    bounds.below = -Limits::infinity();
    bounds.above = Limits::infinity();
  }
  if (min.has_value()) {
    bounds.min = bounds.below = static_cast<T>(*min);
    if constexpr (std::is_same_v<T, float>) {
      if (bounds.below < *min) bounds.below = std::nextafter(bounds.below, Limits::infinity());
    }
  }
  if (max.has_value()) {
    bounds.max = bounds.above = static_cast<T>(*max);
    if constexpr (std::is_same_v<T, float>) {
      if (bounds.above > *max) bounds.above = std::nextafter(bounds.above, -Limits::infinity());
    }
  }
  return bounds;
}

class ClipOp final : public BlockOp {
 public:
  ClipOp(std::optional<double> min, std::optional<double> max, std::vector<BoundColumn> inputs,
         std::vector<BoundColumn> outputs)
      : BlockOp(std::move(inputs), std::move(outputs)), min_(min), max_(max) {}

  bool InPlace() const override { return true; }

  absl::Status RunBlock(const Block& block) const override {
    for (size_t i = 0; i < inputs().size(); ++i) {
      VisitInput(block, i, [&]<typename T>(std::span<const T> in) {
        MapNumbers(in, OutputOf<T>(block, i), BoundsOf<T>(min_, max_));
      });
    }
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& numbers) const override {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const double low = min_.value_or(-kNone);
    const double high = max_.value_or(kNone);
    OpEffect effect{
        .kind = OpKind::kEachNumber, .obstacle = {}, .keeps_zero = low <= 0 && high >= 0};
    bool is_idle = true;
    for (const BoundColumn& input : inputs()) {
      const NumberRange range = numbers.Of(input);
      is_idle &= range.IsWithin(low, high);
      effect.made.push_back(Clipped(range, input.schema.type));
    }
    if (is_idle) effect.idle = "all numbers are within the bounds already";
    return effect;
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    for (size_t i = 0; i < inputs().size(); ++i) {
      if (!graph.Has(inputs()[i])) continue;
      const batch::DataType type = inputs()[i].schema.type;
      const bool narrow = type == batch::DataType::kUInt8 || type == batch::DataType::kInt32;
      // Comparisons of the narrow types are made with wide ones.
      const batch::DataType wide = narrow ? batch::DataType::kInt64 : type;
      StepId made = graph.Cast(graph.Get(inputs()[i]), wide);
      if (min_) made = WriteBound(made, wide, *min_, /*is_lower=*/true, graph);
      if (max_) made = WriteBound(made, wide, *max_, /*is_lower=*/false, graph);
      graph.Set(outputs()[i], graph.Cast(made, type));
    }
    return absl::OkStatus();
  }

 private:
  // Missing values are not clipped.
  NumberRange Clipped(const NumberRange& range, batch::DataType type) const {
    // A bound of float32 is rounded.
    const auto bound = [&](double number) {
      return type == batch::DataType::kFloat32 ? static_cast<double>(static_cast<float>(number))
                                               : number;
    };
    NumberRange made = range;
    if (min_) made.min = std::max(made.min, bound(*min_));
    if (max_) made.max = std::min(made.max, bound(*max_));
    if (min_) made.max = std::max(made.max, made.min);
    if (max_) made.min = std::min(made.min, made.max);
    return made;
  }

  // A number beyond the bound becomes the bound. A missing value is not beyond it.
  static StepId WriteBound(StepId number, batch::DataType type, double bound, bool is_lower,
                           PortableGraph& graph) {
    const StepId limit = graph.Number(type, bound);
    const StepId beyond = is_lower ? graph.Apply(StepKind::kLess, number, limit)
                                   : graph.Apply(StepKind::kLess, limit, number);
    return graph.Where(beyond, limit, number);
  }

  const std::optional<double> min_;
  const std::optional<double> max_;
};

// The range to which numbers of a type can be clipped.
struct Range {
  double begin;
  double end;
};

Range RangeOf(batch::DataType type) {
  switch (type) {
    case batch::DataType::kUInt8:
      return {0, 255};
    case batch::DataType::kInt32:
      return {-0x1p31, 0x1p31 - 1};
    case batch::DataType::kInt64:
      return {-0x1p53, 0x1p53};
    case batch::DataType::kFloat32:
      return {-std::numeric_limits<float>::max(), std::numeric_limits<float>::max()};
    case batch::DataType::kFloat64:
    case batch::DataType::kBinary:
      break;
  }
  return {-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
}

void CheckBound(OpBuilder& builder, std::string_view field, const std::optional<double>& bound,
                const ColumnSchema& schema) {
  if (!bound.has_value()) return;
  const Range range = RangeOf(schema.type);
  const bool whole = IsFloat(schema.type) || std::trunc(*bound) == *bound;
  if (whole && *bound >= range.begin && *bound <= range.end) return;
  builder.Problem(
      field,
      fmt::format("is {}, but column {} holds {}", *bound, schema.name, Describe(schema.type)),
      whole ? "leave it out" : "write a whole number");
}

}  // namespace

void ClipSpec::Check(config::Problems& problems) const {
  if (!min.has_value() && !max.has_value()) {
    problems.Add("", "sets no bound", "give min, max or both");
  }
  for (const auto& [field, bound] : {std::pair("min", min), std::pair("max", max)}) {
    if (bound.has_value() && !std::isfinite(*bound)) problems.Add(field, "is not finite", "");
  }
  if (min.has_value() && max.has_value() && *min > *max) {
    problems.Add("min", "is greater than max", "");
  }
}

std::unique_ptr<Op> ClipSpec::Build(OpBuilder& builder) const {
  std::vector<BoundColumn> inputs = builder.Inputs("columns", columns, Accepts::kFloats);
  std::vector<BoundColumn> outputs;
  for (const BoundColumn& input : inputs) {
    CheckBound(builder, "min", min, input.schema);
    CheckBound(builder, "max", max, input.schema);
    outputs.push_back(builder.Output("columns", input.schema));
  }
  return std::make_unique<ClipOp>(min, max, std::move(inputs), std::move(outputs));
}

}  // namespace tidemill::transform
