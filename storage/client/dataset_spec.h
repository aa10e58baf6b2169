// What a user says about a dataset: where its files are, what is in them, which field is the time
// and which the label. The `datasets:` section of a pipeline.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include "base/config.h"
#include "base/time.h"
#include "storage/client/event_time_spec.h"
#include "storage/client/format_spec.h"
#include "storage/client/label_spec.h"
#include "storage/client/series_spec.h"

namespace tidemill::storage {

struct DatasetSpec {
  std::string path;
  std::string files = "**";
  FormatSpec format;
  EventTimeSpec event_time;
  LabelSpec label;
  std::optional<SeriesSpec> series;
  std::optional<Duration> label_delay;
  bool append = false;
  std::optional<Duration> settle;
  double max_bad_fraction = 0.5;
  void Fields(auto&& field) {
    field(
        "path", path,
        "The folder with the files, or s3://bucket/folder; below one of the allowed data folders.",
        {.required = true, .example = "${TIDEMILL_DATA}/drift_elec2"});
    field("files", files,
          "Which files below it: * is any text but /, ** any text, ? one character. Hidden files "
          "are left out. Files of any format may be compressed with gzip, xz or zstd, which shows "
          "in their first bytes; a suffix such as .gz is part of the name that must match.",
          {.example = "*.csv"});
    field("format", format, "What the files hold.", {.required = true});
    field("event_time", event_time, "When a sample happened; by default the file's mtime.");
    field("label", label, "What is to be learnt.");
    field("series", series, "Samples are windows of rows rather than single rows.");
    field("label_delay", label_delay,
          "How long after a sample's time its label becomes known: a trigger trains on no sample "
          "whose label is still open. By default `series.horizon` times `series.step`, or 0.",
          {.example = "6h"});
    field("append", append, "Files grow at their end: take whole new records as they come.");
    field(
        "settle", settle,
        "A file is complete once unchanged for so long; by default what the storage section says.");
    field("max_bad_fraction", max_bad_fraction,
          "A file with a greater part of bad records is quarantined as a whole.",
          {.min = 0, .max = 1});
  }
  void Check(config::Problems& problems) const;

 private:
  void CheckSeries(config::Problems& problems) const;
};

// The dataset's label: with `series.target` a real number in that column.
inline LabelSpec EffectiveLabel(const DatasetSpec& spec) {
  if (!spec.series || !spec.series->target) return spec.label;
  LabelSpec label;
  label.column = spec.series->target;
  label.kind = LabelKind::kReal;
  label.missing = spec.label.missing;
  return label;
}

// Whether samples without a label are left out: always those of a series, which have no use but
// their label.
inline bool DropsUnlabelled(const DatasetSpec& spec) {
  if (!EffectiveLabel(spec).is_given()) return false;
  return spec.series.has_value() || spec.label.unlabelled == Unlabelled::kDrop;
}

// `label_delay` with its default.
inline Duration EffectiveLabelDelay(const DatasetSpec& spec) {
  if (spec.label_delay) return *spec.label_delay;
  if (!spec.series || !spec.series->step) return {};
  return {spec.series->horizon * spec.series->step->micros};
}

inline void DatasetSpec::Check(config::Problems& problems) const {
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

inline void DatasetSpec::CheckSeries(config::Problems& problems) const {
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
