#include "transform/ops/reshape.h"

#include "fmt/ranges.h"

#include "transform/engine/portable_graph.h"
#include "transform/engine/shapes.h"

namespace tidemill::transform {
namespace {

class ReshapeOp final : public Op {
 public:
  ReshapeOp(BoundColumn input, BoundColumn output)
      : input_(std::move(input)), output_(std::move(output)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    batch::Column column = frame.Get(input_.slot);  // Shares the numbers.
    column.name = output_.schema.name;
    column.shape = output_.schema.shape;
    frame.Set(output_.slot, std::move(column));
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& numbers) const override {
    const bool is_idle = input_.schema.shape == output_.schema.shape;
    return {.obstacle = {},
            .idle = is_idle ? "the rows have this shape already" : "",
            .made = {numbers.Of(input_)}};
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    if (!graph.Has(input_)) return absl::OkStatus();
    graph.Set(output_, graph.Reshape(graph.Get(input_), output_.schema.shape));
    return absl::OkStatus();
  }

 private:
  const BoundColumn input_;
  const BoundColumn output_;
};

}  // namespace

std::unique_ptr<Op> ReshapeSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  ColumnSchema schema{.name = into.empty() ? column : into};
  if (CheckShape(builder, "shape", shape)) schema.shape = shape;
  if (input.has_value()) {
    schema.type = input->schema.type;
    if (IsText(schema.type)) {
      builder.Problem("column", fmt::format("column {} holds text", column),
                      "only numbers have a shape");
    } else if (schema.Width() != input->schema.Width()) {
      builder.Problem(
          "shape",
          fmt::format("[{}] holds {} numbers, but column {} has {} in each row",
                      fmt::join(shape, ", "), schema.Width(), column, input->schema.Width()));
    }
  }
  BoundColumn output = builder.Output("into", std::move(schema));
  if (!input.has_value()) return nullptr;
  return std::make_unique<ReshapeOp>(*input, std::move(output));
}

}  // namespace tidemill::transform
