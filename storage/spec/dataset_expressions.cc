#include "storage/spec/dataset_expressions.h"

#include <utility>

namespace tidemill::storage {

namespace {

using expressions::Type;
using Program = std::shared_ptr<const expressions::Program>;
using Role = DatasetExpression::Role;

expressions::KnownColumns ColumnsFor(const DatasetSpec& spec, Role role) {
  expressions::KnownColumns known = RecordColumnsOf(spec);
  if (role != Role::kEventTime) {
    known.columns.push_back({.name = std::string(kTimeColumn), .type = Type::kTime});
  }
  return known;
}

std::optional<Type> WantedType(const DatasetSpec& spec, Role role) {
  if (role == Role::kWhere) return Type::kTruth;
  if (role == Role::kEventTime) return Type::kTime;
  if (spec.label.kind == LabelKind::kReal) return Type::kNumber;
  return std::nullopt;  // A class can be given in several ways.
}

absl::Status CheckClass(Type type, const LabelSpec& label) {
  const size_t num_classes = label.classes.size();
  if (type == Type::kTruth && num_classes != 0 && num_classes != 2) {
    return InvalidArgument(
        "the label is a boolean, which is one of two classes, but `classes` names {}", num_classes);
  }
  if (type == Type::kText && num_classes == 0) {
    return InvalidArgument("the label is a text, the name of a class, but `classes` names none");
  }
  if (type == Type::kNumber || type == Type::kTime) {
    return InvalidArgument(
        "the label is {}, but a class is a boolean, a whole number or a text; write whole(x), "
        "or kind: real",
        expressions::Describe(type));
  }
  return absl::OkStatus();
}

}  // namespace

expressions::KnownColumns RecordColumnsOf(const DatasetSpec& spec) {
  expressions::KnownColumns known{.time_zone = spec.event_time.time_zone};
  for (const std::string& name : spec.format->Columns()) {
    if (!name.empty()) known.columns.push_back({.name = name});
  }
  known.others = known.columns.empty() && spec.format->HasFields();
  if (const auto text = spec.format->Delimited()) known.numbers = text->dialect.numbers;
  return known;
}

expressions::FieldReading FieldReadingOf(const DatasetSpec& spec) {
  expressions::FieldReading reading{.missing = spec.label.missing,
                                    .time_zone = spec.event_time.time_zone};
  if (const auto text = spec.format->Delimited()) reading.numbers = text->dialect.numbers;
  if (spec.event_time.column) reading.times[*spec.event_time.column] = spec.event_time.Format();
  return reading;
}

absl::StatusOr<Program> DatasetExpression::Compile(const DatasetSpec& spec) const {
  ASSIGN_OR_RETURN(const auto parsed, expressions::Expression::Parse(text));
  ASSIGN_OR_RETURN(Program program,
                   expressions::Compile(parsed, ColumnsFor(spec, role), WantedType(spec, role)));
  if (role == Role::kLabel && spec.label.kind == LabelKind::kClass) {
    RETURN_IF_ERROR(CheckClass(program->type, spec.label));
  }
  return program;
}

std::vector<DatasetExpression> ExpressionsOf(const DatasetSpec& spec) {
  std::vector<DatasetExpression> found;
  const auto add = [&](Role role, std::string_view key, const std::optional<std::string>& text) {
    if (text) found.push_back({.role = role, .key = key, .text = *text});
  };
  add(Role::kWhere, "where", spec.where);
  add(Role::kLabel, "label.expression", spec.label.expression);
  add(Role::kEventTime, "event_time.expression", spec.event_time.expression);
  return found;
}

absl::StatusOr<std::vector<CompiledExpression>> CompileExpressions(const DatasetSpec& spec) {
  std::vector<CompiledExpression> compiled;
  for (const DatasetExpression& each : ExpressionsOf(spec)) {
    auto program = each.Compile(spec);
    if (!program.ok()) {
      return InvalidArgument("{}: {}", each.key, std::string(program.status().message()));
    }
    compiled.push_back({.role = each.role, .program = *std::move(program)});
  }
  return compiled;
}

}  // namespace tidemill::storage
