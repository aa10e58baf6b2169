// The `datasets` section of a pipeline: where a dataset's files are, what they contain, which field
// is the time and which the label.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "config/config.h"
#include "config/named_files.h"
#include "storage/spec/event_time_spec.h"
#include "storage/spec/formats/file_format.h"
#include "storage/spec/label_spec.h"
#include "storage/spec/series_spec.h"

namespace tidemill::storage {

struct DatasetSpec {
  std::string path;
  std::string files = "**";
  FormatSpec format;
  EventTimeSpec event_time;
  LabelSpec label;
  std::optional<std::string> where;
  std::optional<SeriesSpec> series;
  std::optional<Duration> label_delay;
  bool append = false;
  std::optional<Duration> settle;
  std::optional<Duration> settle_limit;
  double max_bad_fraction = 0.5;
  void Fields(auto&& field) {
    field("path", path,
          "The folder with the files, or s3://bucket/folder. It must be below one of the allowed "
          "data folders.",
          {.required = true, .example = "${TIDEMILL_DATA}/drift_elec2"});
    field("files", files,
          "Which files below it: * is any text without /, ** any text, ? one character. Hidden "
          "files are left out. Files of any format may be compressed with gzip, xz or zstd, which "
          "their first bytes show. A suffix such as .gz is part of the name that must match.",
          {.example = "*.csv"});
    field("format", format, "What the files hold.", {.required = true});
    field("event_time", event_time, "When a sample happened. By default the file's mtime.");
    field("label", label, "What a model has to learn.");
    field("where", where,
          "A condition on the fields of a record; docs/guides/columns.md describes the language. "
          "`@time` is the event time. A record for which it is false or null is not a sample: it "
          "is counted as filtered.",
          {.example = "\"valid = 1 and price > 0\""});
    field("series", series, "Samples are windows of rows rather than single rows.");
    field("label_delay", label_delay,
          "How long after a sample's time its label becomes known. A trigger does not train on "
          "samples whose label is not known yet. By default `series.horizon` times `series.step`, "
          "or 0.",
          {.example = "6h"});
    field("append", append, "Files grow at their end. Ingest whole new records as they come.");
    field("settle", settle,
          "A file is complete when it has not changed for this long. By default as the storage "
          "section says.");
    field("settle_limit", settle_limit,
          "How long a run, or another command that needs the dataset, waits for files that still "
          "change when it begins. It names the files that have not settled by then, does not use "
          "their new content, and ends with exit code 8. By default as the storage section says.",
          {.example = "10m"});
    field("max_bad_fraction", max_bad_fraction,
          "A file with a greater share of bad records is quarantined as a whole.",
          {.min = 0, .max = 1});
  }
  void Check(config::Problems& problems) const;
  // Replaces the names of files in the spec, except its data, by their contents, because the
  // receiver of the spec does not have the files. Notes problems at the keys of the spec.
  void TakeFiles(config::NamedFiles& named, config::Problems& problems);

 private:
  void CheckColumns(config::Problems& problems) const;
  void CheckExpressions(config::Problems& problems) const;
  void CheckSeries(config::Problems& problems) const;
};

// Returns the label of the dataset. With `series.target`, it is a real number in that column.
inline LabelSpec EffectiveLabel(const DatasetSpec& spec) {
  if (!spec.series || !spec.series->target) return spec.label;
  LabelSpec label;
  label.column = spec.series->target;
  label.kind = LabelKind::kReal;
  label.missing = spec.label.missing;
  return label;
}

// Whether samples without a label are left out. Samples of a series without a label always are,
// because they are useless.
inline bool DropsUnlabelled(const DatasetSpec& spec) {
  if (!EffectiveLabel(spec).is_given()) return false;
  return spec.series.has_value() || spec.label.unlabelled == Unlabelled::kDrop;
}

// Returns `label_delay` or its default.
inline Duration EffectiveLabelDelay(const DatasetSpec& spec) {
  if (spec.label_delay) return *spec.label_delay;
  if (!spec.series || !spec.series->step) return {};
  return {spec.series->horizon * spec.series->step->micros};
}

}  // namespace tidemill::storage

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::storage::DatasetSpec);
