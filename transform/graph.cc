#include "transform/graph.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "config/config.h"
#include "transform/target_scale.h"

namespace tidemill::transform {
namespace {

// The text whose digest a fitted state carries. It is what version 0.7 printed, whose ops ended
// with a key that did nothing, so that models of before find their state.
std::string DigestedText(const GraphSpec& spec) {
  constexpr std::string_view kLaterOps[] = {"compute", "decode_wav", "filter", "mel_spectrogram"};
  std::string text;
  for (const auto& op : spec) {
    std::string printed = config::Print(GraphSpec{op});
    if (std::ranges::count(kLaterOps, op.value.type()) == 0) {
      const bool has_no_keys = printed.find('\n') + 1 == printed.size();
      if (has_no_keys) printed.replace(printed.rfind(" {}"), std::string::npos, "\n");
      printed += "    autocache: false\n";
    }
    text += printed;
  }
  return text;
}

std::string Canonical(const SampleSchema& samples) {
  std::string text = fmt::format(
      "payload {} delimiter {} quote {} record_bytes {} label {} classes {}\n",
      static_cast<int>(samples.payload), static_cast<int>(samples.csv.delimiter.front()),
      samples.csv.quote.has_value() ? static_cast<int>(*samples.csv.quote) : -1,
      samples.record_bytes.value_or(-1), static_cast<int>(samples.label), samples.num_classes);
  if (samples.csv.delimiter.size() > 1) {
    text += fmt::format("delimiter {} {}\n", samples.csv.delimiter.size(), samples.csv.delimiter);
  }
  if (samples.csv.trim) text += "trim\n";
  const NumberNotations& numbers = samples.csv.numbers;
  if (numbers.decimal != '.') text += fmt::format("decimal {}\n", numbers.decimal);
  if (numbers.thousands != '\0') text += fmt::format("thousands {}\n", numbers.thousands);
  for (const auto& [column, unit] : numbers.units) {
    text += fmt::format("unit {} {} {} {}\n", column.size(), column, unit.size(), unit);
  }
  if (samples.time_zone != "UTC") text += fmt::format("time_zone {}\n", samples.time_zone);
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
    builder.Problem("", "no op makes the column `input`, which the model takes",
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
                             : "cast it, or rename it so that it does not begin with input_");
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
    text = fmt::format("op {} ({})", problem.op_index + 1, spec[problem.op_index].value.type());
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

bool MakesTarget(const std::vector<BoundColumn>& outputs) {
  return std::ranges::any_of(
      outputs, [](const BoundColumn& column) { return column.schema.name == kTargetColumn; });
}

struct Graph::Built {
  Graph graph;
  std::vector<GraphProblem> problems;
  std::vector<ChosenColumns> chosen = {};
  // Whether the ops after the last one wait for the columns of the dataset.
  bool open = false;
  // The failure of the op `failed`, from 0, which says nothing about the graph.
  absl::Status failure;
  int failed = 0;
};

Graph::Built Graph::Bind(const GraphSpec& spec, const SampleSchema& samples) {
  Graph graph;
  graph.samples_ = std::make_unique<const SampleSchema>(samples);
  OpBuilder builder(*graph.samples_);
  for (int i = 0; i < std::ssize(spec); ++i) {
    builder.BeginOp(i);
    BoundOp bound;
    bound.op = spec[i].value->Build(builder);
    bound.type = spec[i].value.type();
    bound.name = fmt::format("op {} ({})", i + 1, bound.type);
    bound.stage = builder.stage();
    bound.fitted = builder.fitted();
    bound.is_random = spec[i].value->IsRandom();
    bound.inputs = builder.inputs();
    bound.outputs = builder.outputs();
    const bool keeps_units = spec[i].value->Target() != TargetMade::kOther;
    graph.target_is_label_ &= keeps_units || !MakesTarget(bound.outputs);
    if (!builder.failure().ok()) {
      return {.graph = std::move(graph),
              .problems = {},
              .failure = Annotate(builder.failure(), bound.name),
              .failed = i};
    }
    if (bound.fitted) graph.num_fit_passes_ = std::max(graph.num_fit_passes_, bound.stage + 1);
    graph.ops_.push_back(std::move(bound));
    if (builder.open()) {
      return {.graph = std::move(graph),
              .problems = builder.problems(),
              .open = true,
              .failure = absl::OkStatus()};
    }
  }
  builder.BeginOp(static_cast<int>(spec.size()));
  CheckOutputs(builder);
  graph.inputs_ = InputsOf(builder);
  if (const BoundColumn* target = builder.Find(kTargetColumn)) graph.target_ = *target;
  graph.num_slots_ = builder.num_slots();
  return {.graph = std::move(graph),
          .problems = builder.problems(),
          .chosen = builder.chosen(),
          .failure = {}};
}

std::vector<GraphProblem> Graph::Check(const GraphSpec& spec, const SampleSchema& samples) {
  Built built = Bind(spec, samples);
  if (!built.failure.ok()) {
    return {{.op_index = built.failed,
             .field = "",
             .message = std::string(built.failure.message()),
             .hint = "nothing is wrong with the graph: try again"}};
  }
  std::vector<GraphProblem> problems = std::move(built.problems);
  // Build() does not refuse the following, because earlier models must be read.
  std::optional<int> standardized;
  for (int i = 0; i < std::ssize(built.graph.ops_); ++i) {
    if (standardized && MakesTarget(built.graph.ops_[i].outputs)) {
      problems.push_back({.op_index = i,
                          .field = "",
                          .message = fmt::format("changes the column target after op {} has "
                                                 "standardised it, so its units cannot be restored",
                                                 *standardized + 1),
                          .hint = "standardise the target last"});
    }
    if (StandardizesTarget(spec[i].value)) standardized = i;
  }
  return problems;
}

std::vector<ChosenColumns> Graph::Choose(const GraphSpec& spec, const SampleSchema& samples) {
  return Bind(spec, samples).chosen;
}

absl::StatusOr<Graph> Graph::Build(const GraphSpec& spec, const SampleSchema& samples,
                                   Fusion fusion, Rewriting rewriting) {
  Built built = Bind(spec, samples);
  RETURN_IF_ERROR(built.failure);
  if (!built.problems.empty()) return ToStatus(built.problems, spec);
  if (built.open) {
    return FailedPrecondition("rules choose columns, but those of the dataset are not known yet");
  }
  GraphSpec named = spec;
  NameColumns(built.chosen, named);
  const std::string ops = DigestedText(named);
  built.graph.spec_digest_ = Sha256(ops);
  const std::string described = Canonical(samples);
  built.graph.description_ = ops + described;
  built.graph.samples_digest_ = Sha256(described);
  for (size_t i = 0; i < named.size(); ++i) {
    built.graph.ops_[i].digest = Sha256(config::Print(GraphSpec{named[i]}));
  }
  built.graph.plan_ = IdentityPlan(spec.size());
  if (rewriting == Rewriting::kOn) {
    built.graph.Rewire(named);
    built.graph.LeaveOutPixels();
  }
  built.graph.stages_ = built.graph.StagesOf(0, built.graph.order().size(), fusion);
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

std::vector<std::string> Graph::op_types() const {
  std::vector<std::string> types;
  for (const BoundOp& op : ops_) types.push_back(op.type);
  return types;
}

std::vector<GraphStage> Graph::stages() const {
  std::vector<GraphStage> stages;
  for (const BoundStage& stage : stages_) stages.push_back(stage.ops);
  return stages;
}

std::vector<OpColumns> Graph::op_columns() const {
  std::vector<OpColumns> all;
  for (const BoundOp& op : ops_) {
    OpColumns& columns = all.emplace_back();
    for (const BoundColumn& input : op.inputs) columns.reads.push_back(input.schema);
    for (const BoundColumn& output : op.outputs) columns.makes.push_back(output.schema);
  }
  return all;
}

bool Graph::IsUsedAfter(size_t place, int slot) const {
  const auto is_slot = [&](const BoundColumn& column) { return column.slot == slot; };
  if (std::ranges::any_of(inputs_, is_slot)) return true;
  if (target_.has_value() && is_slot(*target_)) return true;
  for (size_t i = place + 1; i < order().size(); ++i) {
    if (std::ranges::any_of(ops_[order()[i]].inputs, is_slot)) return true;
  }
  return false;
}

std::vector<bool> Graph::InputsAreFinite() const {
  const NumberRange whole = FiniteRangeOfType(batch::DataType::kFloat32);
  std::vector<bool> are_finite;
  KnownNumbers numbers;
  for (const int i : order()) {
    const BoundOp& op = ops_[static_cast<size_t>(i)];
    are_finite.push_back(std::ranges::all_of(op.inputs, [&](const BoundColumn& input) {
      return numbers.Of(input).IsWithin(whole.min, whole.max);
    }));
    numbers.Learn(op.RunningBefore(order().size()).EffectOn(numbers), op.outputs);
  }
  return are_finite;
}

std::vector<Graph::BoundStage> Graph::StagesOf(size_t first, size_t last, Fusion fusion) const {
  std::vector<BoundStage> stages;
  const std::vector<bool> inputs_are_finite = InputsAreFinite();
  const auto at = [&](size_t place) -> const BoundOp& { return ops_[order()[place]]; };
  const auto is_block_op = [&](size_t place) { return at(place).op->block_op() != nullptr; };
  size_t end = first;
  for (size_t begin = first; begin < last; begin = end) {
    end = begin + 1;
    while (fusion == Fusion::kOn && is_block_op(begin) && end < last && is_block_op(end)) ++end;
    BoundStage& stage = stages.emplace_back();
    stage.ops = {static_cast<int>(begin), static_cast<int>(end - begin)};
    stage.end = last;
    if (stage.ops.count == 1) continue;
    std::vector<Stage::Member> members;
    for (size_t i = begin; i < end; ++i) {
      members.push_back({at(i).RunningBefore(last).block_op(), at(i).name, inputs_are_finite[i]});
    }
    stage.fused.emplace(std::move(members), [&](int slot) { return IsUsedAfter(end - 1, slot); });
  }
  return stages;
}

absl::Status Graph::CheckFitted(const FittedState* fitted) const {
  if (!needs_fit()) return absl::OkStatus();
  if (fitted == nullptr) return FailedPrecondition("the graph is not fitted yet");
  if (fitted->graph() != spec_digest_) {
    return InvalidArgument("the fitted state belongs to another graph");
  }
  return absl::OkStatus();
}

absl::StatusOr<PortableGraph> Graph::WriteSteps(const FittedState* fitted) const {
  RETURN_IF_ERROR(CheckFitted(fitted));
  PortableGraph portable;
  for (const int i : order()) {
    const BoundOp& op = ops_[i];
    portable.BeginOp(i, op.type);
    const auto learned = op.fitted ? fitted->Of(i) : std::span<const Learned>();
    const absl::Status status = op.op->WriteSteps(learned, portable);
    if (status.ok()) continue;
    if (status.code() != absl::StatusCode::kFailedPrecondition) return Annotate(status, op.name);
    UnwrittenOp unwritten{.op_index = i, .type = op.type, .reason = std::string(status.message())};
    for (const BoundColumn& output : op.outputs) {
      if (output.schema.name == kTargetColumn) continue;
      portable.Give(output, fmt::format("what {} makes; {}", op.name, unwritten.reason));
      unwritten.columns.push_back(output.schema.name);
    }
    portable.AddUnwritten(std::move(unwritten));
  }
  portable.Finish(inputs_);
  return portable;
}

}  // namespace tidemill::transform
