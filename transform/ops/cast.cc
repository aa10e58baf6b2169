#include "transform/ops/cast.h"

#include <cmath>
#include <limits>

#include "transform/engine/numbers.h"

namespace tidemill::transform {
namespace {

// Whether `value` has a counterpart in To, its fraction cut off.
template <typename To, typename From>
bool Fits(From value) {
  using Limits = std::numeric_limits<To>;
  if constexpr (std::is_floating_point_v<To>) {
    return std::isfinite(static_cast<To>(value));
  } else if constexpr (std::is_floating_point_v<From>) {
    // Powers of two, so the comparison is exact; the upper one lies just above the range.
    const double end = std::ldexp(1.0, Limits::digits);
    const double begin = std::is_signed_v<To> ? -end : 0.0;
    const double whole = std::trunc(static_cast<double>(value));
    return whole >= begin && whole < end;
  } else {
    return std::in_range<To>(value);
  }
}

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

template <typename From, typename To>
void Convert(std::span<const From> in, const ColumnSchema& schema, std::span<To> out,
             Frame& frame) {
  const int64_t width = schema.Width();
  for (size_t i = 0; i < in.size(); ++i) {
    if (Fits<To>(in[i])) {
      out[i] = static_cast<To>(in[i]);
      continue;
    }
    frame.Reject(static_cast<int64_t>(i) / width,
                 fmt::format("column {}: {} does not fit into {}", schema.name, in[i],
                             batch::NameOf(TypeOf<To>())));
  }
}

class CastOp final : public Op {
 public:
  CastOp(CastType dtype, std::vector<BoundColumn> columns)
      : dtype_(dtype), columns_(std::move(columns)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    for (const BoundColumn& column : columns_) {
      switch (dtype_) {
        case CastType::kFloat32:
          RunColumn<float>(column, frame);
          break;
        case CastType::kFloat64:
          RunColumn<double>(column, frame);
          break;
        case CastType::kInt64:
          RunColumn<int64_t>(column, frame);
          break;
        case CastType::kInt32:
          RunColumn<int32_t>(column, frame);
          break;
        case CastType::kUInt8:
          RunColumn<uint8_t>(column, frame);
          break;
      }
    }
    return absl::OkStatus();
  }

 private:
  template <typename To>
  void RunColumn(const BoundColumn& column, Frame& frame) const {
    const ColumnSchema& schema = column.schema;
    batch::Column cast = NewColumn<To>(schema.name, frame.num_rows(), schema.shape);
    const std::span<To> out = cast.data.template MutableAs<To>();
    VisitNumbers(frame.Get(column.slot), [&](auto in) { Convert(in, schema, out, frame); });
    frame.Set(column.slot, std::move(cast));
  }

  const CastType dtype_;
  const std::vector<BoundColumn> columns_;
};

}  // namespace

std::unique_ptr<Op> CastSpec::Build(OpBuilder& builder) const {
  std::vector<BoundColumn> outputs;
  for (const BoundColumn& input : builder.Inputs("columns", columns, Accepts::kNumbers)) {
    ColumnSchema schema = input.schema;
    schema.type = ColumnType(dtype);
    outputs.push_back(builder.Output("columns", std::move(schema)));
  }
  return std::make_unique<CastOp>(dtype, std::move(outputs));
}

}  // namespace tidemill::transform
