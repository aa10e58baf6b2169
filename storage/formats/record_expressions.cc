#include "storage/formats/record_expressions.h"

#include <algorithm>
#include <utility>

namespace tidemill::storage {

namespace {

using expressions::IsNull;
using expressions::Truth;
using expressions::Type;

// Those that can be written as text, with which all that holds times can do.
constexpr int64_t kFirstTime = -62'135'596'800'000'000;       // 0001-01-01
constexpr int64_t kBehindLastTime = 253'402'300'800'000'000;  // 10000-01-01

expressions::FieldReading ReadingOf(const DatasetSpec& spec) {
  expressions::FieldReading reading{.missing = spec.label.missing};
  if (const auto text = spec.format->Delimited()) reading.decimal = text->dialect.decimal;
  if (spec.event_time.column) reading.times[*spec.event_time.column] = spec.event_time.Format();
  return reading;
}

}  // namespace

absl::StatusOr<RecordExpression> RecordExpression::Make(
    std::shared_ptr<const expressions::Program> program, expressions::FieldReading reading,
    std::vector<std::string>& fields) {
  ASSIGN_OR_RETURN(auto rows, expressions::FieldRows::Make(std::move(program), std::move(reading)));
  RecordExpression made(std::move(rows));
  for (const std::string& column : made.rows_.columns()) {
    if (column == kTimeColumn) {
      made.reads_time_ = true;
      made.fields_.push_back(std::nullopt);
      continue;
    }
    const auto known = std::ranges::find(fields, column);
    made.fields_.push_back(static_cast<size_t>(known - fields.begin()));
    if (known == fields.end()) fields.push_back(column);
  }
  return made;
}

absl::Status RecordExpression::Compute(FieldText text, std::optional<Timestamp> time) {
  rows_.Clear();
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (!fields_[i]) {
      rows_.SetTime(i, *time);
      continue;
    }
    ASSIGN_OR_RETURN(const std::optional<std::string_view> field, text(*fields_[i]));
    RETURN_IF_ERROR(rows_.SetText(i, field));
  }
  rows_.EndRow();
  rows_.Run();
  return absl::OkStatus();
}

absl::StatusOr<RecordExpressions> RecordExpressions::Make(
    const DatasetSpec& spec, const std::vector<CompiledExpression>& compiled,
    const LabelReader& labels) {
  using Role = DatasetExpression::Role;
  RecordExpressions made(labels);
  for (const auto& [role, program] : compiled) {
    ASSIGN_OR_RETURN(auto expression,
                     RecordExpression::Make(program, ReadingOf(spec), made.fields_));
    std::optional<RecordExpression>& place = role == Role::kWhere   ? made.where_
                                             : role == Role::kLabel ? made.label_
                                                                    : made.time_;
    place = std::move(expression);
  }
  return made;
}

absl::StatusOr<std::optional<SampleFacts>> RecordExpressions::FactsOf(
    RecordExpression::FieldText text, OtherTime time, OtherLabel label) {
  std::optional<Timestamp> found;
  const auto find_time = [&]() -> absl::Status {
    if (found) return absl::OkStatus();
    ASSIGN_OR_RETURN(found, time_ ? ComputeTime(text) : time());
    return absl::OkStatus();
  };
  if (where_) {
    if (where_->reads_time()) RETURN_IF_ERROR(find_time());
    const absl::Status computed = where_->Compute(text, found);
    if (!computed.ok()) return Annotate(computed, "where");
    if (where_->Value<Truth>() != Truth::kTrue) return std::optional<SampleFacts>();
  }
  if (label_ && label_->reads_time()) RETURN_IF_ERROR(find_time());
  SampleFacts facts;
  ASSIGN_OR_RETURN(facts.label, label_ ? ComputeLabel(text, found) : label());
  RETURN_IF_ERROR(find_time());
  facts.time = *found;
  return facts;
}

absl::StatusOr<Timestamp> RecordExpressions::ComputeTime(RecordExpression::FieldText text) {
  RETURN_IF_ERROR(Annotate(time_->Compute(text, std::nullopt), "event_time"));
  const auto micros = time_->Value<int64_t>();
  if (IsNull(micros)) return InvalidArgument("event_time is null");
  if (micros < kFirstTime || micros >= kBehindLastTime) {
    return InvalidArgument("event_time is not between the years 1 and 9999");
  }
  return Timestamp{micros};
}

absl::StatusOr<Label> RecordExpressions::ComputeLabel(RecordExpression::FieldText text,
                                                      std::optional<Timestamp> time) {
  RETURN_IF_ERROR(Annotate(label_->Compute(text, time), "label"));
  const auto none = [&] { return labels_->FromNothing(InvalidArgument("the label is null")); };
  switch (label_->type()) {
    case Type::kTruth: {
      const auto truth = label_->Value<Truth>();
      return IsNull(truth) ? none() : labels_->FromClass(truth == Truth::kTrue ? 1 : 0);
    }
    case Type::kText: {
      const auto name = label_->Value<std::string_view>();
      return IsNull(name) ? none() : labels_->FromText(name);
    }
    case Type::kNumber: {
      const auto number = label_->Value<double>();
      if (IsNull(number)) return none();
      return Label{.class_label = std::nullopt, .real_label = number};
    }
    case Type::kWhole:
    case Type::kTime:
      break;
  }
  const auto whole = label_->Value<int64_t>();
  return IsNull(whole) ? none() : labels_->FromClass(whole);
}

}  // namespace tidemill::storage
