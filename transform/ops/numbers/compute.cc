#include "transform/ops/numbers/compute.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "config/documents/problems.h"
#include "transform/engine/numbers.h"
#include "transform/ops/numbers/column_expression.h"
#include "transform/ops/records/number_text.h"

namespace tidemill::transform {

namespace {

using expressions::Evaluation;
using expressions::IsNull;
using expressions::Truth;
using expressions::Type;

batch::DataType MadeOf(Type type) {
  switch (type) {
    case Type::kWhole:
      return batch::DataType::kInt64;
    case Type::kText:
      return batch::DataType::kBinary;
    case Type::kNumber:
    case Type::kTruth:
    case Type::kTime:
      break;
  }
  return batch::DataType::kFloat32;
}

class ComputeOp final : public Op {
 public:
  struct Made {
    std::string text;
    std::unique_ptr<ColumnExpression> expression;
    BoundColumn column;
  };
  explicit ComputeOp(std::vector<Made> made) : made_(std::move(made)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    // All of them see the columns as they were.
    std::vector<batch::Column> columns;
    for (const Made& made : made_) {
      ASSIGN_OR_RETURN(batch::Column column, Compute(made, frame));
      if (frame.has_too_many_texts()) return absl::OkStatus();
      columns.push_back(std::move(column));
    }
    for (size_t i = 0; i < made_.size(); ++i) {
      frame.Set(made_[i].column.slot, std::move(columns[i]));
    }
    return absl::OkStatus();
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    // All of them see the columns as they were, and none is written unless all can be.
    std::vector<ExpressionSteps> written;
    for (const Made& made : made_) {
      absl::StatusOr<ExpressionSteps> steps = made.expression->WriteSteps(graph);
      if (!steps.ok()) return NotWritten(made, steps.status());
      written.push_back(*std::move(steps));
    }
    for (size_t i = 0; i < made_.size(); ++i) SetColumn(made_[i], written[i], graph);
    return absl::OkStatus();
  }

  bool makes_texts() const override {
    return std::ranges::any_of(made_,
                               [](const Made& made) { return IsText(made.column.schema.type); });
  }

 private:
  // Says which expression cannot be written, and what they all are.
  absl::Status NotWritten(const Made& made, const absl::Status& why) const {
    std::string formulas;
    for (const Made& each : made_) {
      formulas += fmt::format("{}`{} = {}`", formulas.empty() ? "" : ", ", each.column.schema.name,
                              each.text);
    }
    return FailedPrecondition(
        "the expression of `{}` {}. The formulas, in the language of Tidemill's guide "
        "`columns.md`: "
        "{}",
        made.column.schema.name, std::string(why.message()), formulas);
  }

  static void SetColumn(const Made& made, const ExpressionSteps& steps, PortableGraph& graph) {
    const Type type = made.expression->type();
    StepId value = graph.Cast(steps.value, made.column.schema.type);
    if (type == Type::kTruth && steps.is_null) {
      value = graph.Where(
          *steps.is_null,
          graph.Number(batch::DataType::kFloat32, std::numeric_limits<double>::quiet_NaN()), value);
    } else if (type == Type::kWhole && steps.is_null) {
      graph.Reject(*steps.is_null);
    }
    graph.Set(made.column, value);
  }

  static absl::StatusOr<batch::Column> Compute(const Made& made, Frame& frame) {
    const ColumnSchema& schema = made.column.schema;
    switch (made.expression->type()) {
      case Type::kNumber:
        return Numbers<double, float>(made, frame,
                                      [](double value) { return static_cast<float>(value); });
      case Type::kTruth:
        return Numbers<Truth, float>(made, frame, [](Truth value) {
          return IsNull(value) ? std::numeric_limits<float>::quiet_NaN()
                               : static_cast<float>(value == Truth::kTrue);
        });
      case Type::kWhole:
        return Wholes(made, frame);
      case Type::kText:
      case Type::kTime:
        break;
    }
    TextColumn column(frame.num_rows());
    RETURN_IF_ERROR(
        made.expression->Run(schema.name, frame, [&](int64_t row, const Evaluation& results) {
          for (const std::string_view text : results.Values<std::string_view>()) {
            if (IsNull(text)) RejectNull(schema, row, frame);
            if (frame.AddText(row, schema.name, text.size())) column.Append(text);
            column.EndRow(row++);
          }
        }));
    return column.Finish(schema.name);
  }

  template <typename From, typename To, typename Convert>
  static absl::StatusOr<batch::Column> Numbers(const Made& made, Frame& frame, Convert convert) {
    const ColumnSchema& schema = made.column.schema;
    batch::Column column = NewUnwrittenColumn(schema, frame.num_rows());
    To* const out = column.data.MutableAs<To>().data();
    RETURN_IF_ERROR(
        made.expression->Run(schema.name, frame, [&](int64_t begin, const Evaluation& results) {
          std::ranges::transform(results.Values<From>(), out + begin, convert);
        }));
    return column;
  }

  static absl::StatusOr<batch::Column> Wholes(const Made& made, Frame& frame) {
    const int64_t width = made.column.schema.Width();
    ASSIGN_OR_RETURN(batch::Column column,
                     (Numbers<int64_t, int64_t>(made, frame, [](int64_t value) { return value; })));
    const std::span<const int64_t> values = column.Values<int64_t>();
    for (size_t i = 0; i < values.size(); ++i) {
      if (!IsNull(values[i])) continue;
      RejectNull(made.column.schema, static_cast<int64_t>(i) / width, frame);
    }
    return column;
  }

  static void RejectNull(const ColumnSchema& schema, int64_t row, Frame& frame) {
    if (!frame.IsBad(row)) frame.Reject(row, fmt::format("{} is null", schema.name));
  }

  const std::vector<Made> made_;
};

}  // namespace

void ComputeSpec::Check(config::Problems& problems) const {
  for (const auto& [name, text] : columns) {
    if (name == kTargetColumn) {
      problems.Add(name, "is made by the op label alone",
                   "say label: {expression: ...} in the dataset");
    }
    const auto parsed = expressions::Expression::Parse(text);
    if (!parsed.ok()) problems.Add(name, std::string(parsed.status().message()), "");
  }
}

std::unique_ptr<Op> ComputeSpec::Build(OpBuilder& builder) const {
  std::vector<ComputeOp::Made> made;
  for (const auto& [name, text] : columns) {
    auto expression = ColumnExpression::Build(builder, name, text, std::nullopt);
    if (expression == nullptr) continue;
    if (expression->type() == Type::kTime) {
      builder.Problem(name, "is a time, which does not make a column of numbers",
                      "take its parts, such as hour(x), or epoch(x)");
      continue;
    }
    made.push_back({.text = text, .expression = std::move(expression), .column = {}});
    made.back().column.schema = {.name = name,
                                 .type = MadeOf(made.back().expression->type()),
                                 .shape = made.back().expression->shape()};
  }
  if (made.size() != columns.size()) return nullptr;
  for (ComputeOp::Made& each : made) {
    each.column = builder.Output(each.column.schema.name, each.column.schema);
  }
  return std::make_unique<ComputeOp>(std::move(made));
}

}  // namespace tidemill::transform
