#include "transform/ops/stack.h"

#include "transform/engine/numbers.h"
#include "transform/engine/shapes.h"

namespace tidemill::transform {
namespace {

// Copies rows of `width` numbers to the beginnings of rows of `out_width`.
template <typename T>
void CopyRows(std::span<const T> in, int64_t width, float* out, int64_t out_width) {
  for (size_t begin = 0; begin < in.size(); begin += width, out += out_width) {
    for (int64_t i = 0; i < width; ++i) out[i] = static_cast<float>(in[begin + i]);
  }
}

class StackOp final : public Op {
 public:
  StackOp(std::vector<BoundColumn> inputs, BoundColumn output)
      : inputs_(std::move(inputs)), output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    const ColumnSchema& schema = output_.schema;
    batch::Column column = NewColumn<float>(schema.name, frame.num_rows(), schema.shape);
    float* out = column.data.MutableAs<float>().data();
    const int64_t out_width = schema.Width();
    for (const BoundColumn& input : inputs_) {
      const int64_t width = input.schema.Width();
      VisitNumbers(frame.Get(input.slot), [&](auto in) { CopyRows(in, width, out, out_width); });
      out += width;
    }
    RejectNonFinite<float>(column, frame);
    frame.Set(output_.slot, std::move(column));
    return absl::OkStatus();
  }

 private:
  const std::vector<BoundColumn> inputs_;
  const BoundColumn output_;
};

}  // namespace

std::unique_ptr<Op> StackSpec::Build(OpBuilder& builder) const {
  std::vector<BoundColumn> inputs = builder.Inputs("columns", columns, Accepts::kNumbers);
  ColumnSchema schema{.name = into, .type = batch::DataType::kFloat32};
  if (inputs.size() == 1) {
    schema.shape = inputs.front().schema.shape;
  } else {
    int64_t width = 0;
    for (const BoundColumn& input : inputs) width += input.schema.Width();
    schema.shape = {width};
    if (!inputs.empty()) CheckShape(builder, "columns", schema.shape);
  }
  if (schema.shape.empty()) schema.shape = {1};
  BoundColumn output = builder.Output("into", std::move(schema));
  return std::make_unique<StackOp>(std::move(inputs), std::move(output));
}

}  // namespace tidemill::transform
