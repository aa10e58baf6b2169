#include "transform/ops/numbers/filter.h"

#include <utility>

#include "config/documents/problems.h"
#include "transform/engine/portable_graph.h"
#include "transform/ops/numbers/column_expression.h"

namespace tidemill::transform {

namespace {

class FilterOp final : public Op {
 public:
  explicit FilterOp(std::unique_ptr<ColumnExpression> condition)
      : condition_(std::move(condition)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    return condition_->Run(
        "its condition", frame, [&](int64_t row, const expressions::Evaluation& results) {
          for (const expressions::Truth holds : results.Values<expressions::Truth>()) {
            if (holds != expressions::Truth::kTrue) frame.Filter(row);
            ++row;
          }
        });
  }

  OpEffect EffectOn(const KnownNumbers& /*numbers*/) const override {
    return {.kind = OpKind::kLeavesOutRows};
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    graph.Note(
        "Samples that an op `filter` leaves out are answered too: the file answers every row.");
    return absl::OkStatus();
  }

 private:
  const std::unique_ptr<ColumnExpression> condition_;
};

}  // namespace

void FilterSpec::Check(config::Problems& problems) const {
  const auto parsed = expressions::Expression::Parse(condition);
  if (!parsed.ok()) problems.Add("", std::string(parsed.status().message()), "");
}

std::unique_ptr<Op> FilterSpec::Build(OpBuilder& builder) const {
  auto expression = ColumnExpression::Build(builder, "", condition, expressions::Type::kTruth);
  if (expression == nullptr) return nullptr;
  if (!expression->shape().empty()) {
    builder.Problem("", "the condition is about columns of several numbers",
                    "a filter needs one boolean for each sample");
    return nullptr;
  }
  return std::make_unique<FilterOp>(std::move(expression));
}

}  // namespace tidemill::transform
