#include "storage/formats/record_expressions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "fmt/format.h"

#include "records/text.h"

namespace tidemill::storage {

namespace {

using expressions::IsNull;
using expressions::Truth;
using expressions::Type;

// Those that can be written as text, with which all that holds times can do.
constexpr int64_t kFirstTime = -62'135'596'800'000'000;       // 0001-01-01
constexpr int64_t kBehindLastTime = 253'402'300'800'000'000;  // 10000-01-01

constexpr size_t kMaxShownBytes = 60;

bool IsCalendarTime(int64_t micros) { return micros >= kFirstTime && micros < kBehindLastTime; }

}  // namespace

absl::StatusOr<RecordExpression> RecordExpression::Make(const CompiledExpression& compiled,
                                                        expressions::FieldReading reading,
                                                        std::vector<std::string>& fields) {
  ASSIGN_OR_RETURN(auto rows, expressions::FieldRows::Make(compiled.program, std::move(reading)));
  RecordExpression made(std::move(rows));
  made.tally_.role = compiled.role;
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
  absl::Status computed = SetFields(text, time);
  if (computed.ok()) {
    rows_.EndRow();
    rows_.Run([](int64_t) {});
    if (rows_.evaluation().is_too_long()) computed = InvalidArgument("{}", expressions::kTooLong);
  }
  if (!computed.ok()) {
    if (tally_.num_bad++ == 0) tally_.first_mistake = std::string(computed.message());
    return computed;
  }
  Count();
  return absl::OkStatus();
}

absl::Status RecordExpression::SetFields(FieldText text, std::optional<Timestamp> time) {
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (!fields_[i]) {
      rows_.SetTime(i, *time);
      continue;
    }
    ASSIGN_OR_RETURN(const std::optional<std::string_view> field, text(*fields_[i]));
    RETURN_IF_ERROR(rows_.SetText(i, field));
  }
  return absl::OkStatus();
}

void RecordExpression::Count() {
  const auto count = [&](auto value, const auto& print) {
    ++tally_.num_values;
    tally_.num_null += IsNull(value) ? 1 : 0;
    if (tally_.first_values.size() >= ExpressionTally::kMaxFirstValues) return;
    tally_.first_values.push_back(IsNull(value) ? "null" : print(value));
  };
  const auto as_written = [](auto value) { return fmt::format("{}", value); };
  switch (type()) {
    case Type::kNumber:
      return count(Value<double>(), as_written);
    case Type::kWhole:
      return count(Value<int64_t>(), as_written);
    case Type::kTruth:
      return count(Value<Truth>(), [](Truth value) -> std::string {
        return value == Truth::kTrue ? "true" : "false";
      });
    case Type::kText:
      return count(Value<std::string_view>(),
                   [](std::string_view value) { return AsText(value, kMaxShownBytes); });
    case Type::kTime:
      return count(Value<int64_t>(), [](int64_t value) -> std::string {
        return IsCalendarTime(value) ? FormatTimestamp({value}) : "a time beyond the calendar";
      });
  }
}

absl::StatusOr<RecordExpressions> RecordExpressions::Make(
    const DatasetSpec& spec, const std::vector<CompiledExpression>& compiled,
    const LabelReader& labels) {
  RecordExpressions made(labels);
  for (const CompiledExpression& each : compiled) {
    using enum DatasetExpression::Role;
    ASSIGN_OR_RETURN(auto expression,
                     RecordExpression::Make(each, FieldReadingOf(spec), made.fields_));
    std::optional<RecordExpression>& place = each.role == kWhere   ? made.where_
                                             : each.role == kLabel ? made.label_
                                                                   : made.time_;
    place = std::move(expression);
  }
  made.FindConditionsOfLabel(spec);
  return made;
}

void RecordExpressions::FindConditionsOfLabel(const DatasetSpec& spec) {
  if (!where_) return;
  for (const std::optional<size_t> field : where_->fields()) {
    if (!field) continue;
    const bool is_column = spec.label.column == fields_[*field];
    const bool is_operand =
        label_ && std::ranges::find(label_->fields(), field) != label_->fields().end();
    if (is_column || is_operand) label_fields_.push_back(*field);
  }
}

std::vector<ExpressionTally> RecordExpressions::Tallies() const {
  std::vector<ExpressionTally> tallies;
  for (const auto* each : {&where_, &label_, &time_}) {
    if (*each) tallies.push_back((*each)->tally());
  }
  return tallies;
}

absl::StatusOr<std::optional<SampleFacts>> RecordExpressions::FactsOf(
    RecordExpression::FieldText text, OtherTime time, OtherLabel label,
    const std::optional<ForeignRecord>& foreign) {
  if (foreign) return FactsOfForeign(text, time, label, *foreign);
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

absl::StatusOr<std::optional<SampleFacts>> RecordExpressions::FactsOfForeign(
    RecordExpression::FieldText text, OtherTime time, OtherLabel label,
    const ForeignRecord& foreign) {
  using Kind = UnknownFact::Kind;
  std::vector<UnknownFact> unknown;
  const auto note = [&](Kind kind, const absl::Status& why) {
    unknown.push_back(
        {.record = foreign.record, .kind = kind, .reason = std::string(why.message())});
  };
  absl::StatusOr<Timestamp> found = time_ ? ComputeTime(text) : time();
  if (absl::IsNotFound(found.status())) {
    note(Kind::kTime, found.status());
    found = foreign.present;
  }
  RETURN_IF_ERROR(found.status());
  SampleFacts facts{.time = *found, .label = {}};
  absl::StatusOr<Label> read = label_ ? ComputeLabel(text, *found) : label();
  if (read.ok()) {
    facts.label = *read;
  } else {
    note(Kind::kLabel, read.status());
  }
  if (where_) {
    const absl::Status computed = where_->Compute(text, *found);
    const bool holds = computed.ok() && where_->Value<Truth>() == Truth::kTrue;
    const bool has_label = facts.label.class_label || facts.label.real_label;
    if (!holds && !has_label && LacksCondition(text, !read.ok())) {
      note(Kind::kCondition, absl::OkStatus());
    } else if (!computed.ok()) {
      return Annotate(computed, "where");
    } else if (!holds) {
      return std::optional<SampleFacts>();
    }
  }
  std::ranges::move(unknown, std::back_inserter(foreign.unknown));
  return facts;
}

bool RecordExpressions::LacksCondition(RecordExpression::FieldText text,
                                       bool label_is_unreadable) const {
  if (label_is_unreadable) return !label_fields_.empty();
  return std::ranges::any_of(label_fields_, [&](size_t field) {
    const auto said = text(field);
    return !said.ok() || !said->has_value() || labels_->SaysMissing(**said);
  });
}

absl::StatusOr<Timestamp> RecordExpressions::ComputeTime(RecordExpression::FieldText text) {
  RETURN_IF_ERROR(Annotate(time_->Compute(text, std::nullopt), "event_time"));
  const auto micros = time_->Value<int64_t>();
  if (IsNull(micros)) return NotFound("event_time is null");
  if (!IsCalendarTime(micros)) {
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
