#include "storage/formats/record_facts.h"

#include <algorithm>

#include "records/text.h"

namespace tidemill::storage {

namespace {

size_t NumTimeParts(const EventTimeSpec& spec) {
  const size_t num_fields = spec.TimeFields().size();
  return spec.member ? std::max<size_t>(1, num_fields) : num_fields;
}

}  // namespace

std::vector<std::string> NamedFields(const DatasetSpec& spec) {
  std::vector<std::string> names = spec.event_time.TimeFields();
  if (spec.label.column) names.push_back(*spec.label.column);
  return names;
}

RecordFacts::RecordFacts(const DatasetSpec& spec, const TimeReader& times,
                         const LabelReader& labels)
    : times_(&times),
      labels_(&labels),
      num_time_parts_(NumTimeParts(spec.event_time)),
      has_label_part_(spec.label.column || spec.label.member) {}

absl::StatusOr<RecordFacts> RecordFacts::Create(const DatasetSpec& spec, const TimeReader& times,
                                                const LabelReader& labels, const FileInput& input,
                                                FileSystem& source) {
  RecordFacts facts(spec, times, labels);
  ASSIGN_OR_RETURN(facts.file_times_, TimesOf(spec, times, input, source));
  ASSIGN_OR_RETURN(facts.file_label_, storage::LabelOf(spec, labels, input, source));
  return facts;
}

absl::StatusOr<Timestamp> RecordFacts::TimeOf(int64_t position, const PartText& text) {
  if (num_time_parts_ == 0) return file_times_->At(position);
  if (num_time_parts_ == 1) {
    ASSIGN_OR_RETURN(const std::string_view only, text(0));
    return times_->Read(only);
  }
  joined_.clear();
  bool lacks_part = false;
  for (size_t i = 0; i < num_time_parts_; ++i) {
    ASSIGN_OR_RETURN(const std::string_view part, text(i));
    if (i > 0) joined_ += ' ';
    joined_ += part;
    lacks_part |= IsBlank(part);
  }
  return ReadJoined(*times_, joined_, lacks_part);
}

absl::StatusOr<Label> RecordFacts::LabelOf(const PartText& text) const {
  if (!has_label_part_) return file_label_.value_or(Label{});
  const absl::StatusOr<std::string_view> part = text(label_part());
  if (absl::IsNotFound(part.status())) return labels_->FromNothing(part.status());
  RETURN_IF_ERROR(part.status());
  return labels_->FromText(*part);
}

absl::StatusOr<std::string_view> TextOf(const JsonValue& value, std::string_view name) {
  switch (value.kind) {
    case JsonValue::Kind::kText:
    case JsonValue::Kind::kNumber:
    case JsonValue::Kind::kBool:
      return value.text;
    case JsonValue::Kind::kNull:
      return NotFound("field {} is {}", name, value.text);
    case JsonValue::Kind::kNested:
      return InvalidArgument("field {} is a list or an object", name);
    case JsonValue::Kind::kAbsent:
      break;
  }
  return NotFound("there is no field {}", name);
}

}  // namespace tidemill::storage
