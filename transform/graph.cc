#include "transform/graph.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/config.h"
#include "base/digest.h"

namespace tidemill::transform {
namespace {

std::string_view TypeName(const OpSpec& spec) {
  return std::visit([](const auto& op) { return std::decay_t<decltype(op)>::kType; }, spec);
}

// The graph as text, without what does not change its results.
std::string Canonical(GraphSpec spec) {
  for (auto& op : spec) {
    std::visit([](auto& held) { held.autocache = false; }, op.value);
  }
  return config::Print(spec);
}

std::string Canonical(const SampleSchema& samples) {
  std::string text = fmt::format(
      "payload {} delimiter {} quote {} record_bytes {} label {} classes {}\n",
      static_cast<int>(samples.payload), static_cast<int>(samples.delimiter),
      samples.quote.has_value() ? static_cast<int>(*samples.quote) : -1,
      samples.record_bytes.value_or(-1), static_cast<int>(samples.label), samples.num_classes);
  if (samples.history > 1) text += fmt::format("history {}\n", samples.history);
  if (samples.columns.has_value()) {
    for (const std::string& column : *samples.columns) {
      text += fmt::format("column {} {}\n", column.size(), column);
    }
  }
  return text;
}

// Checks what every graph must make in the end.
void CheckOutputs(OpBuilder& builder) {
  if (builder.Find(kInputColumn) == nullptr) {
    builder.Problem("", "no op makes the column input, which the model takes",
                    "end with stack: {columns: all, into: input}");
  }
  for (const BoundColumn& column : builder.Columns()) {
    const auto& [name, type, shape] = column.schema;
    if (!IsInput(name) || type == batch::DataType::kFloat32 || type == batch::DataType::kInt64) {
      continue;
    }
    builder.Problem(
        "",
        fmt::format("the column {} is {}, but models take float32 and int64", name, Describe(type)),
        name == kInputColumn ? "make it with stack, which gives float32, or cast"
                             : "cast it, or give it a name that does not begin with input_");
  }
}

// The columns that the model is handed, `input` first.
std::vector<BoundColumn> InputsOf(const OpBuilder& builder) {
  std::vector<BoundColumn> inputs(1);
  for (BoundColumn& column : builder.Columns()) {
    if (column.schema.name == kInputColumn) {
      inputs.front() = std::move(column);
    } else if (IsInput(column.schema.name)) {
      inputs.push_back(std::move(column));
    }
  }
  return inputs;
}

std::string ToText(const GraphProblem& problem, const GraphSpec& spec) {
  std::string text = "the graph";
  if (problem.op_index < std::ssize(spec)) {
    text = fmt::format("op {} ({})", problem.op_index + 1, TypeName(spec[problem.op_index].value));
  }
  if (!problem.field.empty()) text += fmt::format(", {}", problem.field);
  text += fmt::format(": {}", problem.message);
  if (!problem.hint.empty()) text += fmt::format(" ({})", problem.hint);
  return text;
}

absl::Status ToStatus(const std::vector<GraphProblem>& problems, const GraphSpec& spec) {
  std::string text;
  for (const GraphProblem& problem : problems) {
    if (!text.empty()) text += "; ";
    text += ToText(problem, spec);
  }
  return InvalidArgument("{}", text);
}

}  // namespace

bool IsInput(std::string_view name) {
  return name == kInputColumn || name.starts_with(kInputPrefix);
}

struct Graph::Built {
  Graph graph;
  std::vector<GraphProblem> problems;
};

Graph::Built Graph::Bind(const GraphSpec& spec, const SampleSchema& samples) {
  Graph graph;
  graph.samples_ = std::make_unique<const SampleSchema>(samples);
  OpBuilder builder(*graph.samples_);
  for (int i = 0; i < std::ssize(spec); ++i) {
    builder.BeginOp(i);
    BoundOp bound;
    bound.op = std::visit([&](const auto& op) { return op.Build(builder); }, spec[i].value);
    bound.name = fmt::format("op {} ({})", i + 1, TypeName(spec[i].value));
    bound.stage = builder.stage();
    bound.fitted = builder.fitted();
    if (bound.fitted) graph.num_fit_passes_ = std::max(graph.num_fit_passes_, bound.stage + 1);
    graph.ops_.push_back(std::move(bound));
  }
  builder.BeginOp(static_cast<int>(spec.size()));
  CheckOutputs(builder);
  graph.inputs_ = InputsOf(builder);
  if (const BoundColumn* target = builder.Find(kTargetColumn)) graph.target_ = *target;
  graph.num_slots_ = builder.num_slots();
  return {std::move(graph), builder.problems()};
}

std::vector<GraphProblem> Graph::Check(const GraphSpec& spec, const SampleSchema& samples) {
  return Bind(spec, samples).problems;
}

absl::StatusOr<Graph> Graph::Build(const GraphSpec& spec, const SampleSchema& samples) {
  Built built = Bind(spec, samples);
  if (!built.problems.empty()) return ToStatus(built.problems, spec);
  const std::string ops = Canonical(spec);
  built.graph.spec_digest_ = Sha256(ops);
  built.graph.description_ = ops + Canonical(samples);
  return std::move(built.graph);
}

std::string Graph::Fingerprint(std::string_view fitted_digest) const {
  return Sha256(fmt::format("{}\nfitted {}", description_, fitted_digest));
}

std::vector<ColumnSchema> Graph::inputs() const {
  std::vector<ColumnSchema> schemas;
  for (const BoundColumn& input : inputs_) schemas.push_back(input.schema);
  return schemas;
}

std::optional<ColumnSchema> Graph::target() const {
  if (!target_.has_value()) return std::nullopt;
  return target_->schema;
}

absl::Status Graph::RunOp(const BoundOp& op, std::span<const Learned> learned, Frame& frame) const {
  return Annotate(op.op->Run(learned, frame), op.name);
}

absl::StatusOr<Transformed> Graph::Run(const batch::Batch& samples, const FittedState* fitted,
                                       const RunContext& context) const {
  if (needs_fit()) {
    if (fitted == nullptr) return FailedPrecondition("the graph is not fitted yet");
    if (fitted->graph() != spec_digest_) {
      return InvalidArgument("the fitted state belongs to another graph");
    }
  }
  Frame frame(samples, num_slots_, context);
  for (size_t i = 0; i < ops_.size(); ++i) {
    const bool learned = ops_[i].fitted;
    RETURN_IF_ERROR(RunOp(
        ops_[i], learned ? fitted->Of(static_cast<int>(i)) : std::span<const Learned>(), frame));
  }
  Transformed result{.batch = batch::Batch(samples.num_rows()), .bad = {}};
  for (const std::string_view name :
       {batch::kKeyColumn, batch::kEventTimeColumn, batch::kOrdinalColumn, batch::kWeightColumn}) {
    const batch::Column* column = samples.Find(name);
    if (column != nullptr) RETURN_IF_ERROR(result.batch.Set(*column));
  }
  for (const BoundColumn& input : inputs_) {
    RETURN_IF_ERROR(result.batch.Set(frame.Get(input.slot)));
  }
  if (target_.has_value()) RETURN_IF_ERROR(result.batch.Set(frame.Get(target_->slot)));
  if (frame.num_bad() > 0) result.batch = result.batch.Take(frame.GoodRows());
  result.bad = frame.TakeBad();
  return result;
}

}  // namespace tidemill::transform
