#include "storage/fields/record_condition.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "expressions/expression.h"
#include "expressions/mistake.h"
#include "expressions/read_values.h"
#include "storage/fields/sample_expression.h"
#include "storage/spec/dataset_expressions.h"

namespace tidemill::samples {

namespace {

using expressions::Truth;
using expressions::Type;

// The columns of SampleExpression, the fields that an archive has beside its samples, and what
// storage knows.
expressions::KnownColumns ColumnsFor(const storage::DatasetSpec& spec,
                                     const std::vector<std::string>& named) {
  expressions::KnownColumns known = KnownColumnsOf(spec);
  known.others |= spec.format->Unit() == storage::SampleUnit::kMembers;
  known.columns.push_back({.name = std::string(kKeyColumn), .type = Type::kWhole});
  known.columns.push_back({.name = std::string(kFileColumn)});
  bool has_parts = false;
  for (const std::string& name : named) {
    if (!PartOfFile(name)) continue;
    known.columns.push_back({.name = name});
    has_parts = true;
  }
  if (!has_parts) known.columns.push_back({.name = "@file.1"});
  return known;
}

}  // namespace

std::optional<size_t> PartOfFile(std::string_view name) {
  constexpr std::string_view kPrefix = "@file.";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  size_t part = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), part);
  if (error != std::errc() || end != name.data() + name.size() || part == 0) return std::nullopt;
  return part;
}

RecordCondition::RecordCondition(expressions::FieldRows rows, const storage::DatasetSpec& spec)
    : rows_(std::move(rows)), fields_(rows_.columns().size()), first_unfit_(fields_.size()) {
  const expressions::KnownColumns known = KnownColumnsOf(spec);
  for (const std::string& name : rows_.columns()) {
    const auto column = std::ranges::find(known.columns, name, &expressions::KnownColumn::name);
    const std::optional<Type> type = column == known.columns.end() ? std::nullopt : column->type;
    kinds_.push_back(type == Type::kTime     ? Kind::kTime
                     : type == Type::kNumber ? Kind::kNumber
                                             : Kind::kText);
  }
}

absl::StatusOr<RecordCondition> RecordCondition::Make(const storage::DatasetSpec& spec,
                                                      const std::string& text) {
  ASSIGN_OR_RETURN(const expressions::Expression parsed, expressions::Expression::Parse(text));
  ASSIGN_OR_RETURN(std::shared_ptr<const expressions::Program> program,
                   expressions::Compile(parsed, ColumnsFor(spec, parsed.columns()), Type::kTruth));
  if (parsed.columns().empty()) {
    return expressions::Mistake(text, 0,
                                "the condition names no column, so that all samples match or none; "
                                "a column is written without quotes, or in double quotes");
  }
  ASSIGN_OR_RETURN(expressions::FieldRows rows,
                   expressions::FieldRows::Make(std::move(program), storage::FieldReadingOf(spec)));
  return RecordCondition(std::move(rows), spec);
}

void RecordCondition::Set(size_t column, std::optional<std::string_view> text, Timestamp time) {
  if (kinds_[column] == Kind::kTime) return rows_.SetTime(column, time);
  if (kinds_[column] == Kind::kNumber) {
    return rows_.SetNumber(column, text ? expressions::ReadNumber(*text) : std::nullopt);
  }
  const absl::Status status = rows_.SetText(column, text);
  if (status.ok()) return;
  fields_[column] = Field::kUnfit;
  if (first_unfit_[column].empty()) first_unfit_[column] = std::string(status.message());
}

Truth RecordCondition::Judge(std::span<const std::optional<std::string_view>> values,
                             Timestamp time) {
  rows_.Clear();
  for (size_t column = 0; column < values.size(); ++column) {
    fields_[column] = Field::kRead;
    Set(column, values[column], time);
    if (fields_[column] == Field::kRead && rows_.IsNull(column)) fields_[column] = Field::kNull;
  }
  rows_.EndRow();
  // Null when the texts that it makes are too long.
  Truth result = Truth::kNull;
  rows_.Run([&](int64_t) { result = rows_.evaluation().Values<Truth>().front(); });
  return result;
}

}  // namespace tidemill::samples
