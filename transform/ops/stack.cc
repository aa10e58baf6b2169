#include "transform/ops/stack.h"

#include <algorithm>

#include "transform/engine/numbers.h"
#include "transform/engine/shapes.h"

namespace tidemill::transform {
namespace {

// Copies rows of `width` numbers to the beginnings of rows of `out_width`, each `repeat` times.
template <typename T>
void CopyRows(std::span<const T> in, int64_t width, int64_t repeat, float* out, int64_t out_width) {
  for (size_t begin = 0; begin < in.size(); begin += width) {
    for (int64_t copy = 0; copy < repeat; ++copy, out += out_width) {
      for (int64_t i = 0; i < width; ++i) out[i] = static_cast<float>(in[begin + i]);
    }
  }
}

class StackOp final : public Op {
 public:
  // The output has `num_rows` rows a sample, to each of which every input gives its part.
  StackOp(std::vector<BoundColumn> inputs, int64_t num_rows, BoundColumn output)
      : inputs_(std::move(inputs)), num_rows_(num_rows), output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    const ColumnSchema& schema = output_.schema;
    if (IsRenaming()) {
      batch::Column column = frame.Get(inputs_.front().slot);
      column.name = schema.name;
      column.shape = schema.shape;
      RejectNonFinite<float>(column, frame);
      frame.Set(output_.slot, std::move(column));
      return absl::OkStatus();
    }
    batch::Column column = NewUnwrittenColumn<float>(schema.name, frame.num_rows(), schema.shape);
    const std::span<float> out = column.data.MutableAs<float>();
    const int64_t out_width = schema.Width() / num_rows_;
    int64_t begin = 0;
    for (const BoundColumn& input : inputs_) {
      const bool repeats = num_rows_ > 1 && input.schema.shape.empty();
      const int64_t repeat = repeats ? num_rows_ : 1;
      const int64_t width = input.schema.Width() / (repeats ? 1 : num_rows_);
      VisitNumbers(frame.Get(input.slot), [&](auto in) {
        if (!in.empty()) CopyRows(in, width, repeat, &out[begin], out_width);
      });
      begin += width;
    }
    RejectNonFinite<float>(column, frame);
    frame.Set(output_.slot, std::move(column));
    return absl::OkStatus();
  }

 private:
  // The numbers stand there already as they are to be.
  bool IsRenaming() const {
    return num_rows_ == 1 && inputs_.size() == 1 &&
           inputs_.front().schema.type == batch::DataType::kFloat32;
  }

  const std::vector<BoundColumn> inputs_;
  const int64_t num_rows_;
  const BoundColumn output_;
};

// [rows, numbers of all columns in a row]. Reports columns that are neither by row nor one number.
std::vector<int64_t> ShapeByRow(OpBuilder& builder, const std::vector<BoundColumn>& inputs) {
  const int64_t num_rows = builder.samples().history;
  int64_t width = 0;
  for (const BoundColumn& input : inputs) {
    const ColumnSchema& schema = input.schema;
    if (schema.shape.empty()) {
      ++width;
    } else if (schema.shape.front() == num_rows) {
      width += schema.Width() / num_rows;
    } else {
      builder.Problem("columns",
                      fmt::format("column {} has no number for each of the {} rows of the series",
                                  schema.name, num_rows),
                      "parse it with rows: all, or leave it out");
    }
  }
  return {num_rows, std::max<int64_t>(1, width)};
}

}  // namespace

std::unique_ptr<Op> StackSpec::Build(OpBuilder& builder) const {
  std::vector<BoundColumn> inputs = builder.Inputs("columns", columns, Accepts::kNumbers);
  ColumnSchema schema{.name = into, .type = batch::DataType::kFloat32};
  if (by == StackBy::kRow) {
    schema.shape = ShapeByRow(builder, inputs);
    CheckShape(builder, "columns", schema.shape);
  } else if (inputs.size() == 1) {
    schema.shape = inputs.front().schema.shape;
  } else {
    int64_t width = 0;
    for (const BoundColumn& input : inputs) width += input.schema.Width();
    schema.shape = {width};
    if (!inputs.empty()) CheckShape(builder, "columns", schema.shape);
  }
  if (schema.shape.empty()) schema.shape = {1};
  const int64_t num_rows = by == StackBy::kRow ? builder.samples().history : 1;
  BoundColumn output = builder.Output("into", std::move(schema));
  return std::make_unique<StackOp>(std::move(inputs), num_rows, std::move(output));
}

}  // namespace tidemill::transform
