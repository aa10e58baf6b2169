#include "transform/ops/numbers/column_expression.h"

#include <algorithm>
#include <utility>

namespace tidemill::transform {

namespace {

using expressions::kBlockRows;
using expressions::Type;

Type TypeOfColumn(batch::DataType type) {
  if (IsText(type)) return Type::kText;
  return IsFloat(type) ? Type::kNumber : Type::kWhole;
}

expressions::KnownColumns ColumnsOf(const OpBuilder& builder) {
  expressions::KnownColumns known{.time_zone = builder.samples().time_zone};
  for (const BoundColumn& column : builder.Columns()) {
    const auto& [name, type, shape] = column.schema;
    if (name == kTargetColumn) continue;
    known.columns.push_back(
        {.name = name, .type = TypeOfColumn(type), .is_float = type == batch::DataType::kFloat32});
  }
  known.columns.push_back({.name = std::string(kTimeName), .type = Type::kTime});
  known.numbers = builder.samples().csv.numbers;
  return known;
}

}  // namespace

struct ColumnExpression::Scratch {
  explicit Scratch(const std::shared_ptr<const expressions::Program>& program)
      : evaluation(program), wholes(program->inputs.size()), texts(program->inputs.size()) {}

  expressions::Evaluation evaluation;
  std::vector<std::vector<int64_t>> wholes;  // For each input that has other whole numbers.
  std::vector<std::vector<std::string_view>> texts;
};

ColumnExpression::~ColumnExpression() = default;

std::unique_ptr<ColumnExpression> ColumnExpression::Build(OpBuilder& builder,
                                                          std::string_view field,
                                                          const std::string& text,
                                                          std::optional<Type> wanted) {
  const auto report = [&](const absl::Status& status) {
    builder.Problem(field, std::string(status.message()));
    return nullptr;
  };
  const auto parsed = expressions::Expression::Parse(text);
  if (!parsed.ok()) return report(parsed.status());
  auto program = expressions::Compile(*parsed, ColumnsOf(builder), wanted);
  if (!program.ok()) return report(program.status());
  std::unique_ptr<ColumnExpression> made(new ColumnExpression());
  made->program_ = *std::move(program);
  std::optional<std::string> first;
  for (const expressions::Input& input : made->program_->inputs) {
    if (input.name == kTimeName) {
      made->sources_.emplace_back();
      continue;
    }
    const std::optional<BoundColumn> column = builder.Input(field, input.name);
    if (!column) return nullptr;
    made->sources_.push_back({.slot = column->slot, .column = column, .type = column->schema.type});
    if (!first) made->shape_ = column->schema.shape;
    if (first && made->shape_ != column->schema.shape) {
      builder.Problem(field,
                      fmt::format("column {} has {} numbers in a row, but column {} has {}", *first,
                                  ColumnSchema{.name = {}, .shape = made->shape_}.Width(),
                                  input.name, column->schema.Width()),
                      "columns of one expression have the same shape");
      return nullptr;
    }
    first = input.name;
  }
  const bool has_time =
      std::ranges::any_of(made->sources_, [](const Source& source) { return !source.slot; });
  if (has_time && !made->shape_.empty()) {
    builder.Problem(
        field, fmt::format("column {} has several numbers in a row, but @time is one", *first));
    return nullptr;
  }
  return made;
}

absl::StatusOr<ExpressionSteps> ColumnExpression::WriteSteps(PortableGraph& graph) const {
  std::vector<StepId> inputs;
  for (const Source& source : sources_) {
    if (source.column && !graph.Has(*source.column)) {
      return FailedPrecondition("reads column {}, which is not in the file",
                                source.column->schema.name);
    }
    inputs.push_back(source.column ? graph.Get(*source.column) : graph.EventTime());
  }
  return WriteExpression(*program_, inputs, graph);
}

std::unique_ptr<ColumnExpression::Scratch> ColumnExpression::TakeScratch() const {
  {
    const MutexLock lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Scratch> scratch = std::move(free_.back());
      free_.pop_back();
      return scratch;
    }
  }
  return std::make_unique<Scratch>(program_);
}

void ColumnExpression::SetInput(const batch::Column& column, int64_t begin, int64_t size,
                                size_t input, Scratch& scratch) {
  const auto from = static_cast<size_t>(begin);
  const auto count = static_cast<size_t>(size);
  const auto widen = [&](auto values) {
    std::vector<int64_t>& wholes = scratch.wholes[input];
    wholes.assign(values.begin() + begin, values.begin() + begin + size);
    scratch.evaluation.Set(input, wholes.data());
  };
  switch (column.type) {
    case batch::DataType::kFloat32:
      return scratch.evaluation.Set(input, column.Values<float>().subspan(from, count).data());
    case batch::DataType::kFloat64:
      return scratch.evaluation.Set(input, column.Values<double>().subspan(from, count).data());
    case batch::DataType::kInt64:
      return scratch.evaluation.Set(input, column.Values<int64_t>().subspan(from, count).data());
    case batch::DataType::kInt32:
      return widen(column.Values<int32_t>());
    case batch::DataType::kUInt8:
      return widen(column.Values<uint8_t>());
    case batch::DataType::kBinary:
      break;
  }
  std::vector<std::string_view>& texts = scratch.texts[input];
  texts.resize(count);
  for (int64_t i = 0; i < size; ++i) {
    const std::string_view text = column.Bytes(begin + i);
    texts[static_cast<size_t>(i)] = text.empty() ? std::string_view("") : text;
  }
  scratch.evaluation.Set(input, texts.data());
}

absl::Status ColumnExpression::Run(std::string_view name, Frame& frame, const Sink& sink) const {
  const batch::Column* const times = frame.samples().Find(batch::kEventTimeColumn);
  for (const Source& source : sources_) {
    if (source.slot || times != nullptr) continue;
    return FailedPrecondition("an expression reads @time, but the samples have no event times");
  }
  std::unique_ptr<Scratch> scratch = TakeScratch();
  const int64_t width = ColumnSchema{.name = {}, .shape = shape_}.Width();
  const int64_t size = frame.num_rows() * width;
  for (int64_t begin = 0; begin < size && !frame.has_too_many_texts(); begin += kBlockRows) {
    const int64_t count = std::min(kBlockRows, size - begin);
    for (size_t input = 0; input < sources_.size(); ++input) {
      const batch::Column& column =
          sources_[input].slot ? frame.Get(*sources_[input].slot) : *times;
      SetInput(column, begin, count, input, *scratch);
    }
    scratch->evaluation.Run(count, [&](int64_t part) {
      if (scratch->evaluation.is_too_long()) {
        frame.Reject((begin + part) / width, fmt::format("{}: {}", name, expressions::kTooLong));
      }
      sink(begin + part, scratch->evaluation);
      if (frame.has_too_many_texts()) scratch->evaluation.Stop();
    });
  }
  const MutexLock lock(mutex_);
  free_.push_back(std::move(scratch));
  return absl::OkStatus();
}

}  // namespace tidemill::transform
