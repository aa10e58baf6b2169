#include "transform/ops/stack.h"

#include <algorithm>

#include "transform/engine/block_op.h"
#include "transform/engine/portable_graph.h"
#include "transform/engine/shapes.h"

namespace tidemill::transform {
namespace {

// Copies rows of `width` numbers to the beginnings of rows of `out_width`, each `repeat` times.
template <typename T>
void CopyRows(std::span<const T> in, int64_t width, int64_t repeat, float* out, int64_t out_width) {
  if (width == 1 && repeat == 1) {
    for (const T value : in) {
      *out = static_cast<float>(value);
      out += out_width;
    }
    return;
  }
  for (size_t begin = 0; begin < in.size(); begin += width) {
    for (int64_t copy = 0; copy < repeat; ++copy, out += out_width) {
      for (int64_t i = 0; i < width; ++i) out[i] = static_cast<float>(in[begin + i]);
    }
  }
}

class StackOp final : public BlockOp {
 public:
  // The output has `num_rows` rows a sample. Every input gives each row its part.
  StackOp(std::vector<BoundColumn> inputs, int64_t num_rows, const BoundColumn& output)
      : BlockOp(std::move(inputs), {output}), num_rows_(num_rows) {}

  // The numbers are already in place.
  bool InPlace() const override {
    return num_rows_ == 1 && inputs().size() == 1 &&
           inputs().front().schema.type == batch::DataType::kFloat32;
  }

  absl::Status Run(std::span<const Learned> learned, Frame& frame) const override {
    if (!InPlace()) return BlockOp::Run(learned, frame);
    const BoundColumn& output = outputs().front();
    batch::Column column = frame.Get(inputs().front().slot);
    column.name = output.schema.name;
    column.shape = output.schema.shape;
    RejectNonFinite<float>(column, frame);
    frame.Set(output.slot, std::move(column));
    return absl::OkStatus();
  }

  absl::Status RunBlock(const Block& block) const override {
    const std::span<float> out = OutputOf<float>(block, 0);
    if (!InPlace() || block.inputs[0] != block.outputs[0]) Copy(block, out);
    if (!block.inputs_are_finite) RejectNonFinite<float>(out, outputs().front().schema, block);
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& numbers) const override {
    const NumberRange whole = FiniteRangeOfType(batch::DataType::kFloat32);
    OpEffect effect{.obstacle = {}, .made = {whole}};
    for (const BoundColumn& input : inputs()) {
      if (!numbers.Of(input).IsWithin(whole.min, whole.max)) {
        effect.obstacle = "which makes bad samples of numbers that are not finite";
      }
    }
    return effect;
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    const std::vector<int64_t>& shape = outputs().front().schema.shape;
    std::vector<StepId> parts;
    for (const BoundColumn& input : inputs()) {
      if (!graph.Has(input)) return InvalidArgument("column {} is the label", input.schema.name);
      const StepId number = graph.Cast(graph.Get(input), batch::DataType::kFloat32);
      if (inputs().size() == 1 && num_rows_ == 1) {
        parts.push_back(graph.Reshape(number, shape));
      } else if (num_rows_ > 1 && input.schema.shape.empty()) {
        parts.push_back(graph.Reshape(graph.Repeat(number, num_rows_), {num_rows_, 1}));
      } else if (num_rows_ > 1) {
        parts.push_back(graph.Reshape(number, {num_rows_, input.schema.Width() / num_rows_}));
      } else {
        parts.push_back(graph.Reshape(number, {input.schema.Width()}));
      }
    }
    const StepId made =
        graph.Reshape(graph.Concatenate(std::move(parts), num_rows_ > 1 ? 1 : 0), shape);
    graph.RejectNonFinite(made);
    graph.Set(outputs().front(), made);
    return absl::OkStatus();
  }

 private:
  void Copy(const Block& block, std::span<float> out) const {
    const int64_t out_width = OutputWidth(0) / num_rows_;
    int64_t begin = 0;
    for (size_t i = 0; i < inputs().size(); ++i) {
      const bool repeats = num_rows_ > 1 && inputs()[i].schema.shape.empty();
      const int64_t repeat = repeats ? num_rows_ : 1;
      const int64_t width = InputWidth(i) / (repeats ? 1 : num_rows_);
      VisitInput(block, i, [&](auto in) {
        if (!in.empty()) CopyRows(in, width, repeat, &out[begin], out_width);
      });
      begin += width;
    }
  }

  const int64_t num_rows_;
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
      builder.Problem(
          "columns",
          fmt::format("column {} does not have a number for each of the {} rows of the series",
                      schema.name, num_rows),
          "leave it out; only what is parsed with rows: all has one");
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
  const BoundColumn output = builder.Output("into", std::move(schema));
  return std::make_unique<StackOp>(std::move(inputs), num_rows, output);
}

}  // namespace tidemill::transform
