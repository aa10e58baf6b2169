#include "storage/fields/sample_expression.h"

#include <algorithm>
#include <utility>

#include "storage/spec/dataset_expressions.h"

namespace tidemill::samples {

namespace {

using expressions::Type;

bool HasNamedClasses(const storage::LabelSpec& label) {
  return label.kind == storage::LabelKind::kClass && !label.classes.empty();
}

std::optional<size_t> PlaceOf(const std::vector<std::string>& columns, std::string_view name) {
  const auto found = std::ranges::find(columns, name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<size_t>(found - columns.begin());
}

absl::StatusOr<std::shared_ptr<const expressions::Program>> CompileFor(
    const storage::DatasetSpec& spec, const std::string& text, std::optional<Type> wanted) {
  ASSIGN_OR_RETURN(const expressions::Expression parsed, expressions::Expression::Parse(text));
  return expressions::Compile(parsed, KnownColumnsOf(spec), wanted);
}

}  // namespace

expressions::KnownColumns KnownColumnsOf(const storage::DatasetSpec& spec) {
  expressions::KnownColumns known = storage::RecordColumnsOf(spec);
  known.columns.push_back({.name = std::string(storage::kTimeColumn), .type = Type::kTime});
  const storage::LabelSpec label = storage::EffectiveLabel(spec);
  if (label.is_given()) {
    known.columns.push_back({.name = std::string(kLabelColumn),
                             .type = HasNamedClasses(label) ? Type::kText : Type::kNumber});
  }
  return known;
}

absl::Status CheckExpression(const storage::DatasetSpec& spec, const std::string& text,
                             std::optional<Type> wanted) {
  return CompileFor(spec, text, wanted).status();
}

SampleExpression::SampleExpression(expressions::FieldRows rows, RecordFields fields,
                                   storage::LabelSpec label)
    : rows_(std::move(rows)), fields_(std::move(fields)), label_(std::move(label)) {
  for (const std::string& name : fields_.names()) {
    field_places_.push_back(*PlaceOf(rows_.columns(), name));
  }
  time_place_ = PlaceOf(rows_.columns(), storage::kTimeColumn);
  label_place_ = PlaceOf(rows_.columns(), kLabelColumn);
}

absl::StatusOr<SampleExpression> SampleExpression::Make(const storage::DatasetSpec& spec,
                                                        const std::string& text,
                                                        std::optional<Type> wanted) {
  ASSIGN_OR_RETURN(std::shared_ptr<const expressions::Program> program,
                   CompileFor(spec, text, wanted));
  ASSIGN_OR_RETURN(expressions::FieldRows rows,
                   expressions::FieldRows::Make(std::move(program), storage::FieldReadingOf(spec)));
  std::vector<std::string> names;
  for (const std::string& column : rows.columns()) {
    if (column != storage::kTimeColumn && column != kLabelColumn) names.push_back(column);
  }
  ASSIGN_OR_RETURN(RecordFields fields, RecordFields::Make(spec, std::move(names)));
  return SampleExpression(std::move(rows), std::move(fields), storage::EffectiveLabel(spec));
}

absl::Status SampleExpression::Run(const batch::Batch& samples, const Sink& sink) {
  const Columns columns{.times = samples.Find(batch::kEventTimeColumn),
                        .payloads = samples.Find(batch::kPayloadColumn),
                        .classes = samples.Find(batch::kClassLabelColumn),
                        .reals = samples.Find(batch::kRealLabelColumn)};
  const bool lacks =
      (time_place_ && columns.times == nullptr) || (reads_records() && columns.payloads == nullptr);
  if (lacks && samples.num_rows() > 0)
    return Internal("the samples lack a column that an expression reads");
  int64_t begin = 0;
  const auto run = [&](int64_t end) {
    rows_.Run([&](int64_t part) {
      if (rows_.evaluation().is_too_long()) CountUnfit(expressions::kTooLong);
      sink(begin + part, rows_.evaluation());
    });
    rows_.Clear();
    begin = end;
  };
  for (int64_t row = 0; row < samples.num_rows(); ++row) {
    SetRow(columns, row);
    rows_.EndRow();
    if (rows_.full()) run(row + 1);
  }
  if (rows_.num_rows() > 0) run(samples.num_rows());
  return absl::OkStatus();
}

void SampleExpression::CountUnfit(std::string_view reason) {
  if (num_unfit_++ == 0) first_unfit_ = std::string(reason);
}

void SampleExpression::SetText(size_t column, std::optional<std::string_view> text) {
  const absl::Status status = rows_.SetText(column, text);
  if (!status.ok()) CountUnfit(std::string(status.message()));
}

void SampleExpression::SetRow(const Columns& columns, int64_t row) {
  if (time_place_) {
    rows_.SetTime(*time_place_, {columns.times->Values<int64_t>()[static_cast<size_t>(row)]});
  }
  if (label_place_) SetLabel(columns, row);
  if (!reads_records()) return;
  for (const size_t place : field_places_) SetText(place, std::nullopt);
  // The last of several rows stays.
  fields_.Visit(columns.payloads->Bytes(row), [&](RecordFields::Fields fields) {
    for (size_t i = 0; i < fields.size(); ++i) SetText(field_places_[i], fields[i]);
    return true;
  });
}

void SampleExpression::SetLabel(const Columns& columns, int64_t row) {
  const auto place = static_cast<size_t>(row);
  const bool has_class = columns.classes != nullptr && columns.classes->IsValid(row);
  const int64_t its_class = has_class ? columns.classes->Values<int64_t>()[place] : 0;
  if (HasNamedClasses(label_)) {
    std::optional<std::string_view> name;
    if (has_class) name = label_.classes[static_cast<size_t>(its_class)];
    return SetText(*label_place_, name);
  }
  std::optional<double> number;
  if (has_class) number = static_cast<double>(its_class);
  if (columns.reals != nullptr && columns.reals->IsValid(row)) {
    number = columns.reals->Values<double>()[place];
  }
  rows_.SetNumber(*label_place_, number);
}

}  // namespace tidemill::samples
