#include "storage/client/dataset_spec.h"

#include <algorithm>
#include <variant>

namespace tidemill::storage {

void DatasetSpec::Check(config::Problems& problems) const {
  const auto* csv = std::get_if<CsvFormat>(&format);
  const auto* binary = std::get_if<BinaryFormat>(&format);
  const bool single = std::holds_alternative<SingleFileFormat>(format);
  const bool tar = std::holds_alternative<TarFormat>(format);
  const bool named = csv || std::holds_alternative<JsonlFormat>(format) ||
                     std::holds_alternative<TfrecordFormat>(format);
  const auto needs = [&](bool given, bool fits, const char* key, const char* formats) {
    if (given && !fits) problems.Add(key, "does not fit the format", formats);
  };
  const char* const fields = "only csv, jsonl and tfrecord have columns, and tar with `member`";
  const bool in_member = tar && event_time.member;
  needs(event_time.column.has_value(), named || in_member, "event_time.column", fields);
  needs(!event_time.columns.empty(), named || in_member, "event_time.columns", fields);
  needs(label.column.has_value(), named || (tar && label.member), "label.column", fields);
  needs(event_time.member.has_value(), tar, "event_time.member", "only tar has members");
  needs(label.member.has_value(), tar, "label.member", "only tar has members");
  CheckSeries(problems);
  needs(label.record.has_value(), binary, "label.record", "only binary has fixed records");
  needs(label.file.has_value(), binary, "label.file", "only binary takes a file of labels");
  needs(label.sidecar.has_value(), single, "label.sidecar", "only single_file has sidecar labels");
  const bool has_label = EffectiveLabel(*this).is_given();
  needs(label.missing != LabelSpec().missing, has_label, "label.missing",
        "the dataset has no label: say where it is, or remove it");
  needs(append, !single && !tar, "append", "a single file and an archive do not grow by records");
  if (binary && label.record && label.record->offset + label.record->width > binary->record_bytes) {
    problems.Add("label.record.offset", "lies beyond the record", "see format.record_bytes");
  }
  if (csv && !csv->columns.empty()) {
    const auto check = [&](const std::string& name, const char* key) {
      if (std::find(csv->columns.begin(), csv->columns.end(), name) == csv->columns.end()) {
        problems.Add(key, "is not among format.columns", "check the name");
      }
    };
    if (event_time.column) check(*event_time.column, "event_time.column");
    for (const std::string& name : event_time.columns) check(name, "event_time.columns");
    if (label.column) check(*label.column, "label.column");
    if (series && series->group) check(*series->group, "series.group");
    if (series && series->target) check(*series->target, "series.target");
  }
}

void DatasetSpec::CheckSeries(config::Problems& problems) const {
  constexpr int64_t kLongestDelay = int64_t{36'500} * 86'400'000'000;
  if (label_delay && (label_delay->micros < 0 || label_delay->micros > kLongestDelay)) {
    problems.Add("label_delay", "is not between 0 and a hundred years",
                 "write a length such as 6h");
  }
  if (!series) return;
  const bool has_fields =
      std::holds_alternative<CsvFormat>(format) || std::holds_alternative<JsonlFormat>(format);
  if (!has_fields && !std::holds_alternative<BinaryFormat>(format)) {
    problems.Add("series", "does not fit the format", "only csv, jsonl and binary have rows");
  }
  if (!has_fields) {
    if (series->group) problems.Add("series.group", "does not fit the format", "leave it out");
    if (series->target) problems.Add("series.target", "does not fit the format", "use label");
  }
  if (label.record && series->history > 1) {
    problems.Add("series.history", "does not fit label.record",
                 "the labels would lie within the samples: keep them in a file, see label.file");
  }
  if (series->target && label.is_given()) {
    problems.Add("series.target", "names a second source of the label",
                 "remove it or the label section");
  }
  if (label.unlabelled == Unlabelled::kKeep) {
    problems.Add("label.unlabelled", "does not fit a series",
                 "of a series only rows with a label become samples: remove it");
  }
  if (series->horizon > 0 && !series->step && !label_delay) {
    problems.Add("label_delay", "is missing",
                 "say how long it takes until the row `horizon` ahead is there, or give "
                 "series.step");
  }
  if (series->step && EffectiveLabelDelay(*this).micros > kLongestDelay) {
    problems.Add("series.horizon", "lies more than a hundred years ahead", "check series.step");
  }
}

}  // namespace tidemill::storage

TIDEMILL_CONFIG_TYPE(tidemill::storage::DatasetSpec);
