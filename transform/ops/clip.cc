#include "transform/ops/clip.h"

#include <cmath>
#include <limits>

#include "base/config_problems.h"
#include "transform/engine/numbers.h"

namespace tidemill::transform {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class ClipOp final : public Op {
 public:
  ClipOp(double min, double max, std::vector<BoundColumn> columns)
      : min_(min), max_(max), columns_(std::move(columns)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    for (const BoundColumn& column : columns_) {
      VisitNumbers(frame.Get(column.slot), [&](auto in) { RunColumn(column, in, frame); });
    }
    return absl::OkStatus();
  }

 private:
  // Comparing as double is exact: the bounds of whole numbers are below 2^53.
  template <typename T>
  void RunColumn(const BoundColumn& bound, std::span<const T> in, Frame& frame) const {
    const ColumnSchema& schema = bound.schema;
    batch::Column column = NewColumn<T>(schema.name, frame.num_rows(), schema.shape);
    T* out = column.data.template MutableAs<T>().data();
    for (const T value : in) {
      const auto number = static_cast<double>(value);
      *out++ = number < min_ ? static_cast<T>(min_) : number > max_ ? static_cast<T>(max_) : value;
    }
    frame.Set(bound.slot, std::move(column));
  }

  const double min_;
  const double max_;
  const std::vector<BoundColumn> columns_;
};

// What numbers of a type can be clipped to.
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
    problems.Add("", "has no bound", "give min, max or both");
  }
  for (const auto& [field, bound] : {std::pair("min", min), std::pair("max", max)}) {
    if (bound.has_value() && !std::isfinite(*bound)) problems.Add(field, "is not finite", "");
  }
  if (min.has_value() && max.has_value() && *min > *max) {
    problems.Add("min", "is greater than max", "");
  }
}

std::unique_ptr<Op> ClipSpec::Build(OpBuilder& builder) const {
  std::vector<BoundColumn> outputs;
  for (const BoundColumn& input : builder.Inputs("columns", columns, Accepts::kFloats)) {
    CheckBound(builder, "min", min, input.schema);
    CheckBound(builder, "max", max, input.schema);
    outputs.push_back(builder.Output("columns", input.schema));
  }
  return std::make_unique<ClipOp>(min.value_or(-kInfinity), max.value_or(kInfinity),
                                  std::move(outputs));
}

}  // namespace tidemill::transform
