#include "transform/ops/pad.h"

#include <algorithm>
#include <cmath>

#include "config/documents/problems.h"
#include "transform/engine/images.h"
#include "transform/engine/portable_graph.h"
#include "transform/engine/shapes.h"

namespace tidemill::transform {
namespace {

class PadOp final : public ImageOp {
 public:
  // `before`: one number for each dimension.
  PadOp(const std::vector<int64_t>& before, double value, const BoundColumn& input,
        const BoundColumn& output)
      : ImageOp(input, output), before_(before), value_(value), line_(input.schema.shape.back()) {
    FindLines(before);
  }

  absl::Status RunBlock(const Block& block) const override {
    ForEachImage(block, [&]<typename T>(int64_t, const T* in, T* out) {
      if (value_ != 0) std::fill(out, out + OutputWidth(0), static_cast<T>(value_));
      for (const int64_t begin : lines_) {
        std::copy(in, in + line_, out + begin);
        in += line_;
      }
    });
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& numbers) const override {
    const bool is_idle = inputs()[0].schema.shape == outputs()[0].schema.shape;
    const NumberRange made = numbers.Of(inputs()[0]);
    return {.obstacle = {},
            .idle = is_idle ? "it adds no numbers" : "",
            .made = {is_idle ? made : made.With({value_, value_, true})}};
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    if (!graph.Has(inputs()[0])) return absl::OkStatus();
    std::vector<int64_t> after;
    for (size_t i = 0; i < before_.size(); ++i) {
      after.push_back(outputs()[0].schema.shape[i] - inputs()[0].schema.shape[i] - before_[i]);
    }
    graph.Set(outputs()[0], graph.Pad(graph.Get(inputs()[0]), before_, after, value_));
    return absl::OkStatus();
  }

 private:
  // A line is a run along the last dimension; finds where each begins in a row of the output.
  void FindLines(const std::vector<int64_t>& before) {
    const std::vector<int64_t>& from = inputs()[0].schema.shape;
    const std::vector<int64_t>& to = outputs()[0].schema.shape;
    lines_ = {0};
    for (size_t dimension = 0; dimension < from.size(); ++dimension) {
      const bool last = dimension + 1 == from.size();
      std::vector<int64_t> finer;
      for (const int64_t line : lines_) {
        for (int64_t i = 0; i < (last ? 1 : from[dimension]); ++i) {
          finer.push_back(line * to[dimension] + before[dimension] + i);
        }
      }
      lines_ = std::move(finer);
    }
  }

  const std::vector<int64_t> before_;
  const double value_;
  const int64_t line_;
  std::vector<int64_t> lines_;
};

// One number for each dimension; reports when there are others.
std::vector<int64_t> Expand(OpBuilder& builder, std::string_view field,
                            const std::vector<int64_t>& numbers, const ColumnSchema& schema) {
  const size_t rank = schema.shape.size();
  if (numbers.size() == rank) return numbers;
  if (!numbers.empty()) {
    builder.Problem(field,
                    fmt::format("has {} numbers, but the rows of column {} have {} dimensions",
                                numbers.size(), schema.name, rank));
  }
  return std::vector<int64_t>(rank, 0);
}

}  // namespace

void PadSpec::Check(config::Problems& problems) const {
  if (before.empty() && after.empty()) {
    problems.Add("", "adds no numbers", "give before, after or both");
  }
  if (!std::isfinite(value)) problems.Add("value", "is not finite", "");
}

std::unique_ptr<Op> PadSpec::Build(OpBuilder& builder) const {
  const std::optional<BoundColumn> input = builder.Input("column", column);
  ColumnSchema schema{.name = into.empty() ? column : into};
  std::vector<int64_t> starts;
  if (input.has_value()) {
    schema.type = input->schema.type;
    schema.shape = input->schema.shape;
    if (IsText(schema.type) || schema.shape.empty()) {
      builder.Problem("column", fmt::format("column {} does not hold rows of numbers", column),
                      "stack or reshape it first");
    } else if (!Holds(schema.type, value)) {
      builder.Problem("value", fmt::format("is {}, but column {} holds {}", value, column,
                                           Describe(schema.type)));
    }
    starts = Expand(builder, "before", before, input->schema);
    const std::vector<int64_t> ends = Expand(builder, "after", after, input->schema);
    for (size_t i = 0; i < schema.shape.size(); ++i) schema.shape[i] += starts[i] + ends[i];
    if (!CheckShape(builder, "after", schema.shape)) schema.shape = input->schema.shape;
  }
  BoundColumn output = builder.Output("into", std::move(schema));
  if (!input.has_value() || input->schema.shape.empty()) return nullptr;
  return std::make_unique<PadOp>(starts, value, *input, std::move(output));
}

}  // namespace tidemill::transform
